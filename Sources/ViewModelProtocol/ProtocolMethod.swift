/// A method of the protocol: a request with typed params and a typed result.
///
/// Each method is a type in its own file, with its contract in the doc comment. The types have no instances. They
/// connect a name with the params and the result on the wire.
public protocol ProtocolMethod: Sendable {
    /// The params that the caller sends, always by name.
    associatedtype Params: Codable & Equatable & Sendable
    /// The result that the daemon returns on success.
    associatedtype Result: Codable & Equatable & Sendable

    /// The method's name on the wire, for example `session.attach`.
    static var name: String { get }
}

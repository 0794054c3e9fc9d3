/// A method of the protocol: a request with typed params and a typed result.
///
/// One type a method, in a file of its own, with the method's contract in its documentation. The types are never
/// instantiated; they tie a name to the shapes that cross the wire under it.
public protocol ProtocolMethod: Sendable {
    /// What the caller sends, always by name.
    associatedtype Params: Codable & Equatable & Sendable
    /// What the daemon answers when all went well.
    associatedtype Result: Codable & Equatable & Sendable

    /// The method's name on the wire, for example `session.attach`.
    static var name: String { get }
}

/// A notification of the protocol: a message without a reply.
public protocol ProtocolNotification: Sendable {
    /// The params, always by name.
    associatedtype Params: Codable & Equatable & Sendable

    /// The notification's name on the wire, for example `viewModel.changed`.
    static var name: String { get }
}

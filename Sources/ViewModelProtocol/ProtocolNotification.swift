/// A notification of the protocol: something that is said once and never answered.
public protocol ProtocolNotification: Sendable {
    /// What is said, always by name.
    associatedtype Params: Codable & Equatable & Sendable

    /// The notification's name on the wire, for example `viewModel.changed`.
    static var name: String { get }
}

/// A notification of the protocol: a message without a reply.
package protocol ProtocolNotification: Sendable {
    /// The params, always by name.
    associatedtype Params: Codable & Equatable & Sendable

    /// The notification's name on the wire, for example `viewModel.changed`.
    static var name: String { get }
}

/// A notification that the daemon sends, with everything that `rpc.discover` and `docs/protocol.md` tell about it.
package protocol DescribedNotification: ProtocolNotification {
    /// What the notification reports, in one sentence.
    static var summary: String { get }
    /// The schema of ``Params``.
    static var paramsSchema: WireSchema { get }
}

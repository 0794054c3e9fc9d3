/// The reply to an input (protocol, section 6).
public struct InputReply: Codable, Equatable, Sendable {
    /// The session's step after which the input's immediate effects are visible, in whatever instance.
    public var seq: Int

    /// Creates a reply.
    public init(seq: Int) {
        self.seq = seq
    }
}

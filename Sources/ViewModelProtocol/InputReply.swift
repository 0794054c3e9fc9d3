/// The reply to an input (protocol, section 6).
public struct InputReply: Codable, Equatable, Sendable {
    /// The step from which on the input's immediate effects are visible, in any instance of the session.
    public var seq: Int
    /// True while a frame of the sender's binding to the instance waits; nil otherwise.
    ///
    /// A frame waits for `minInterval`, or because the client does not read. Without a waiting frame the client's
    /// picture of the instance is up to date to ``seq`` when the reply arrives.
    public var held: Bool?

    private enum CodingKeys: CodingKey {
        case seq, held
    }

    /// Creates a reply.
    package init(seq: Int, held: Bool? = nil) {
        self.seq = seq
        self.held = held
    }

    /// Writes the reply without nil members.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(seq, forKey: .seq)
        try container.encode(present: held, forKey: .held)
    }

    package static var schema: WireSchema {
        .object([.required("seq", .integer), .optional("held", .boolean)])
    }
}

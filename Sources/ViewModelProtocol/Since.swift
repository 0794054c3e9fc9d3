/// The step at which a client's picture stands, so that a binding can be resumed there (protocol, section 7).
public struct Since: Codable, Hashable, Sendable {
    /// The session's life in which the step was counted; opaque.
    public var epoch: String
    /// The step's number, 0 or more.
    public var seq: Int

    private enum CodingKeys: CodingKey {
        case epoch, seq
    }

    /// Names a step of a life of the session.
    public init(epoch: String, seq: Int) {
        self.epoch = epoch
        self.seq = seq
    }

    /// Reads a step and refuses a negative number.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.epoch = try container.decode(String.self, forKey: .epoch)
        self.seq = try container.decodeCount(forKey: .seq)
    }
}

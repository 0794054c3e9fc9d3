/// The step of a client's picture, from which the client resumes a binding (protocol, section 7).
public struct Since: Codable, Hashable, Sendable {
    /// The epoch in which the step counts; opaque.
    public var epoch: String
    /// The step's number, 0 or more.
    public var seq: Int

    private enum CodingKeys: CodingKey {
        case epoch, seq
    }

    /// Creates a reference to a step of an epoch.
    public init(epoch: String, seq: Int) {
        self.epoch = epoch
        self.seq = seq
    }

    /// Reads a step; throws for a negative number.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.epoch = try container.decode(String.self, forKey: .epoch)
        self.seq = try container.decodeCount(forKey: .seq)
    }

    static var schema: WireSchema {
        .object([.required("epoch", .string), .required("seq", .count)])
    }
}

/// The part of a list that a client wants to see (protocol, section 7).
public struct Window: Codable, Hashable, Sendable {
    /// The index of the first row, 0 or more; past the end there are no rows.
    public var offset: Int
    /// How many rows at most, 0 or more.
    public var limit: Int

    private enum CodingKeys: CodingKey {
        case offset, limit
    }

    /// Creates a window; both numbers must be 0 or more, or the daemon refuses it.
    public init(offset: Int, limit: Int) {
        self.offset = offset
        self.limit = limit
    }

    /// Reads a window and refuses negative numbers.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.offset = try container.decodeCount(forKey: .offset)
        self.limit = try container.decodeCount(forKey: .limit)
    }
}

/// The rows of a list that a binding shows (protocol, section 7).
public struct Window: Codable, Hashable, Sendable {
    /// The index of the first row, 0 or more.
    ///
    /// An offset beyond the end gives no rows.
    public var offset: Int
    /// The maximum number of rows, 0 or more.
    public var limit: Int

    private enum CodingKeys: CodingKey {
        case offset, limit
    }

    /// Creates a window.
    ///
    /// The daemon rejects negative numbers.
    public init(offset: Int, limit: Int) {
        self.offset = offset
        self.limit = limit
    }

    /// Reads a window; throws for negative numbers.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.offset = try container.decodeCount(forKey: .offset)
        self.limit = try container.decodeCount(forKey: .limit)
    }

    static var schema: WireSchema {
        .object([.required("offset", .count), .required("limit", .count)])
    }
}

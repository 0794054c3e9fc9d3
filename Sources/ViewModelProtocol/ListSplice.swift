/// A place of a list at which rows came or went, in positions of the whole list (protocol, section 7).
///
/// On the wire it is the array `[at, removed, inserted]`.
public struct ListSplice: Hashable, Sendable {
    /// The index of the first row that went or came.
    public var at: Int
    /// The number of rows that went.
    public var removed: Int
    /// The number of rows that came.
    public var inserted: Int

    /// Creates a splice.
    public init(at: Int, removed: Int, inserted: Int) {
        (self.at, self.removed, self.inserted) = (at, removed, inserted)
    }

    static var schema: WireSchema { .array(.count, count: 3) }
}

extension ListSplice: Codable {
    /// Reads the array of the three numbers.
    public init(from decoder: any Decoder) throws {
        var numbers = try decoder.unkeyedContainer()
        self.init(
            at: try numbers.decode(Int.self),
            removed: try numbers.decode(Int.self),
            inserted: try numbers.decode(Int.self)
        )
    }

    /// Writes the array of the three numbers.
    public func encode(to encoder: any Encoder) throws {
        var numbers = encoder.unkeyedContainer()
        for number in [at, removed, inserted] { try numbers.encode(number) }
    }
}

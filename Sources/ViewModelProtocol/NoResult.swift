/// The result of a method that returns no value: `null` on the wire.
public struct NoResult: Codable, Equatable, Sendable {
    /// Creates the empty result.
    public init() {}

    /// Reads any value, so that a later daemon can return one.
    public init(from decoder: any Decoder) throws {
        _ = try decoder.singleValueContainer().decode(JSONValue.self)
    }

    /// Writes `null`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encodeNil()
    }
}

/// The result of a method that has nothing to say: `null` on the wire.
public struct NoResult: Codable, Equatable, Sendable {
    /// Creates the empty result.
    public init() {}

    /// Takes whatever value stands there, so that a daemon that says more one day is still understood.
    public init(from decoder: any Decoder) throws {
        _ = try decoder.singleValueContainer().decode(JSONValue.self)
    }

    /// Writes `null`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encodeNil()
    }
}

/// The params of a method without params: `{}` on the wire.
///
/// A member is an error, as an unknown member is for any other method.
public struct NoParams: Codable, Equatable, Sendable {
    private enum CodingKeys: CodingKey {}

    /// Creates the empty params.
    public init() {}

    /// Reads an object without members.
    public init(from decoder: any Decoder) throws {
        _ = try decoder.container(keyedBy: CodingKeys.self)
    }

    /// Writes `{}`.
    public func encode(to encoder: any Encoder) throws {
        _ = encoder.container(keyedBy: CodingKeys.self)
    }
}

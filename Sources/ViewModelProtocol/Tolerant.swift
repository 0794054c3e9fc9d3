/// Reads a value and lets members pass that its type does not know: what a newer daemon may have to say.
///
/// A daemon is strict with params, because a typing error must not pass unseen; a client is not with replies.
public struct Tolerant<Value: Decodable>: Decodable {
    /// What was read.
    public var value: Value

    /// Reads a value.
    public init(from decoder: any Decoder) throws {
        decoder.takeUnknownMembers()
        self.value = try Value(from: decoder)
    }
}

extension Tolerant: Sendable where Value: Sendable {}

/// A decoded value whose unknown members were ignored, because a newer daemon may send them.
///
/// A daemon rejects unknown members of params, so that a typing error is noticed. A client accepts them in replies.
package struct Tolerant<Value: Decodable>: Decodable {
    /// The decoded value.
    package var value: Value

    /// Reads a value.
    package init(from decoder: any Decoder) throws {
        decoder.takeUnknownMembers()
        self.value = try Value(from: decoder)
    }
}

extension Tolerant: Sendable where Value: Sendable {}

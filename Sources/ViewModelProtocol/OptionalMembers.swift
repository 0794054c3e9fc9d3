extension KeyedEncodingContainer {
    /// Writes a member unless its value is nil.
    ///
    /// The encoder itself would write null.
    mutating func encode(present value: (some Encodable)?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) }
    }
}

extension KeyedEncodingContainer {
    /// Writes a member, or leaves it out where there is no value: the encoder itself would write null.
    mutating func encode(present value: (some Encodable)?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) }
    }
}

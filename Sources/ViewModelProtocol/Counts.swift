extension KeyedDecodingContainer {
    /// Reads an integer that must not be negative.
    func decodeCount(forKey key: Key) throws -> Int {
        let count = try decode(Int.self, forKey: key)
        guard count >= 0 else {
            let path = JSONPointer(tokens: [key.stringValue]).description
            throw ValueMismatch(path: path, expected: "an integer of 0 or more", found: "\(count)")
        }
        return count
    }

    /// Reads an integer that must not be negative, or nil where the member is absent or null.
    func decodeCountIfPresent(forKey key: Key) throws -> Int? {
        guard contains(key), try !decodeNil(forKey: key) else { return nil }
        return try decodeCount(forKey: key)
    }
}

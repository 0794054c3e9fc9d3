extension KeyedDecodingContainer {
    /// Reads an integer; throws a ``ValueMismatch`` if it is negative.
    func decodeCount(forKey key: Key) throws -> Int {
        let count = try decode(Int.self, forKey: key)
        guard count >= 0 else {
            let path = JSONPointer(tokens: [key.stringValue]).description
            throw ValueMismatch(path: path, expected: "an integer of 0 or more", found: "\(count)")
        }
        return count
    }

    /// Reads an integer as ``decodeCount(forKey:)`` does; returns nil if the member is absent or null.
    func decodeCountIfPresent(forKey key: Key) throws -> Int? {
        guard contains(key), try !decodeNil(forKey: key) else { return nil }
        return try decodeCount(forKey: key)
    }
}

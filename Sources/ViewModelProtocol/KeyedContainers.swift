extension KeyedDecodingContainer {
    /// Reads an integer; throws a ``ValueMismatch`` if it is negative.
    func decodeCount(forKey key: Key) throws -> Int {
        let count = try decode(Int.self, forKey: key)
        guard count >= 0 else {
            let path = ValueMismatch.step(key.stringValue)
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

/// Methods that leave out a nil member, where the daemon's encoder would write null.
///
/// In this module they hide the methods of the standard library, also from the code that the compiler writes for
/// `Codable`.
extension KeyedEncodingContainer {
    mutating func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) }
    }

    mutating func encodeIfPresent(_ value: Bool?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) }
    }

    mutating func encodeIfPresent(_ value: Int?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) }
    }

    mutating func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) }
    }

    mutating func encodeIfPresent(_ value: String?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) }
    }
}

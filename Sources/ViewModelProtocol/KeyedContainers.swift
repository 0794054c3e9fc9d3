/// Methods that throw a ``ValueMismatch`` for a negative integer, because the integers of the wire are counts.
///
/// In this module they hide the methods of the standard library, also from the code that the compiler writes for
/// `Codable`.
extension KeyedDecodingContainer {
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        let count = Int(try decode(Int64.self, forKey: key))
        guard count >= 0 else {
            let path = ValueMismatch.step(key.stringValue)
            throw ValueMismatch(path: path, expected: "an integer of 0 or more", found: "\(count)")
        }
        return count
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        guard contains(key), try !decodeNil(forKey: key) else { return nil }
        return try decode(type, forKey: key)
    }
}

/// A method that reads a missing list of names as an empty one, because an older daemon sends no `features`.
///
/// It hides that of the standard library in the same way.
extension KeyedDecodingContainer {
    func decode(_ type: [String].Type, forKey key: Key) throws -> [String] {
        try decodeIfPresent(type, forKey: key) ?? []
    }
}

/// Methods that leave out a nil member, where the daemon's encoder would write null.
///
/// They hide those of the standard library in the same way.
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

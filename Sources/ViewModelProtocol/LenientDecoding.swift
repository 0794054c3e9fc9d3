/// A key that represents any member.
///
/// A type that reads `allKeys` with it accepts unknown members.
struct AnyMember: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    init?(intValue: Int) { nil }
}

extension Decoder {
    /// Accepts members of the value that its type does not know; has no effect for a value that is not an object.
    func acceptUnknownMembers() {
        _ = try? container(keyedBy: AnyMember.self).allKeys
    }
}

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

extension KeyedEncodingContainer {
    /// Writes a member unless its value is nil.
    ///
    /// The encoder itself would write null.
    mutating func encode(present value: (some Encodable)?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) }
    }
}

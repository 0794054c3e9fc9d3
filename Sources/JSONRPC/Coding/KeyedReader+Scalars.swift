// Each `decodeIfPresent` looks its member up once. The standard library's default calls `contains`, `decodeNil` and
// `decode`, up to three look-ups.

extension KeyedReader {
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        let (value, position) = try located(key, Expectation.boolean)
        return try core.bool(at: value, position)
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        guard let (value, position) = try present(key) else { return nil }
        return try core.bool(at: value, position)
    }

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        let (value, position) = try located(key, Expectation.string)
        return try core.string(at: value, position)
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        guard let (value, position) = try present(key) else { return nil }
        return try core.string(at: value, position)
    }

    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        let (value, position) = try located(key, Expectation.number)
        return try core.double(at: value, position)
    }

    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        guard let (value, position) = try present(key) else { return nil }
        return try core.double(at: value, position)
    }

    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        let (value, position) = try located(key, Expectation.number)
        return try core.float(at: value, position)
    }

    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
        guard let (value, position) = try present(key) else { return nil }
        return try core.float(at: value, position)
    }

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        let (value, position) = try located(key, Expectation.integer)
        return try core.integer(type, at: value, position)
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        guard let (value, position) = try present(key) else { return nil }
        return try core.integer(type, at: value, position)
    }

    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
        let (value, position) = try located(key, Expectation.integer)
        return try core.integer(type, at: value, position)
    }

    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
        guard let (value, position) = try present(key) else { return nil }
        return try core.integer(type, at: value, position)
    }

    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
        let (value, position) = try located(key, Expectation.integer)
        return try core.integer(type, at: value, position)
    }

    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
        guard let (value, position) = try present(key) else { return nil }
        return try core.integer(type, at: value, position)
    }

    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
        let (value, position) = try located(key, Expectation.integer)
        return try core.integer(type, at: value, position)
    }

    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
        guard let (value, position) = try present(key) else { return nil }
        return try core.integer(type, at: value, position)
    }

    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
        let (value, position) = try located(key, Expectation.integer)
        return try core.integer(type, at: value, position)
    }

    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        guard let (value, position) = try present(key) else { return nil }
        return try core.integer(type, at: value, position)
    }

    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
        let (value, position) = try located(key, Expectation.integer)
        return try core.integer(type, at: value, position)
    }

    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
        guard let (value, position) = try present(key) else { return nil }
        return try core.integer(type, at: value, position)
    }

    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
        let (value, position) = try located(key, Expectation.integer)
        return try core.integer(type, at: value, position)
    }

    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
        guard let (value, position) = try present(key) else { return nil }
        return try core.integer(type, at: value, position)
    }

    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
        let (value, position) = try located(key, Expectation.integer)
        return try core.integer(type, at: value, position)
    }

    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
        guard let (value, position) = try present(key) else { return nil }
        return try core.integer(type, at: value, position)
    }

    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
        let (value, position) = try located(key, Expectation.integer)
        return try core.integer(type, at: value, position)
    }

    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
        guard let (value, position) = try present(key) else { return nil }
        return try core.integer(type, at: value, position)
    }

    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
        let (value, position) = try located(key, Expectation.integer)
        return try core.integer(type, at: value, position)
    }

    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
        guard let (value, position) = try present(key) else { return nil }
        return try core.integer(type, at: value, position)
    }
}

// Each type needs both methods, because the standard library's `encodeIfPresent` omits a nil member.

extension KeyedWriter {
    func encode(_ value: Bool, forKey key: Key) throws {
        _ = try core.member(key.stringValue, in: level)
        core.writer.bool(value)
    }

    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws {
        guard let value else { return try encodeNil(forKey: key) }
        try encode(value, forKey: key)
    }

    func encode(_ value: String, forKey key: Key) throws {
        _ = try core.member(key.stringValue, in: level)
        core.writer.string(value)
    }

    func encodeIfPresent(_ value: String?, forKey key: Key) throws {
        guard let value else { return try encodeNil(forKey: key) }
        try encode(value, forKey: key)
    }

    func encode(_ value: Double, forKey key: Key) throws {
        try core.attempt(in: level) {
            let part = try core.member(key.stringValue, in: level)
            try core.double(value, key: key, parent: level, part: part)
        }
    }

    func encodeIfPresent(_ value: Double?, forKey key: Key) throws {
        guard let value else { return try encodeNil(forKey: key) }
        try encode(value, forKey: key)
    }

    func encode(_ value: Float, forKey key: Key) throws {
        try core.attempt(in: level) {
            let part = try core.member(key.stringValue, in: level)
            try core.float(value, key: key, parent: level, part: part)
        }
    }

    func encodeIfPresent(_ value: Float?, forKey key: Key) throws {
        guard let value else { return try encodeNil(forKey: key) }
        try encode(value, forKey: key)
    }

    func encode(_ value: Int, forKey key: Key) throws {
        _ = try core.member(key.stringValue, in: level)
        core.writer.integer(value)
    }

    func encodeIfPresent(_ value: Int?, forKey key: Key) throws {
        guard let value else { return try encodeNil(forKey: key) }
        try encode(value, forKey: key)
    }

    func encode(_ value: Int8, forKey key: Key) throws {
        _ = try core.member(key.stringValue, in: level)
        core.writer.integer(value)
    }

    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws {
        guard let value else { return try encodeNil(forKey: key) }
        try encode(value, forKey: key)
    }

    func encode(_ value: Int16, forKey key: Key) throws {
        _ = try core.member(key.stringValue, in: level)
        core.writer.integer(value)
    }

    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws {
        guard let value else { return try encodeNil(forKey: key) }
        try encode(value, forKey: key)
    }

    func encode(_ value: Int32, forKey key: Key) throws {
        _ = try core.member(key.stringValue, in: level)
        core.writer.integer(value)
    }

    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws {
        guard let value else { return try encodeNil(forKey: key) }
        try encode(value, forKey: key)
    }

    func encode(_ value: Int64, forKey key: Key) throws {
        _ = try core.member(key.stringValue, in: level)
        core.writer.integer(value)
    }

    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws {
        guard let value else { return try encodeNil(forKey: key) }
        try encode(value, forKey: key)
    }

    func encode(_ value: UInt, forKey key: Key) throws {
        _ = try core.member(key.stringValue, in: level)
        core.writer.integer(value)
    }

    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws {
        guard let value else { return try encodeNil(forKey: key) }
        try encode(value, forKey: key)
    }

    func encode(_ value: UInt8, forKey key: Key) throws {
        _ = try core.member(key.stringValue, in: level)
        core.writer.integer(value)
    }

    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws {
        guard let value else { return try encodeNil(forKey: key) }
        try encode(value, forKey: key)
    }

    func encode(_ value: UInt16, forKey key: Key) throws {
        _ = try core.member(key.stringValue, in: level)
        core.writer.integer(value)
    }

    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws {
        guard let value else { return try encodeNil(forKey: key) }
        try encode(value, forKey: key)
    }

    func encode(_ value: UInt32, forKey key: Key) throws {
        _ = try core.member(key.stringValue, in: level)
        core.writer.integer(value)
    }

    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws {
        guard let value else { return try encodeNil(forKey: key) }
        try encode(value, forKey: key)
    }

    func encode(_ value: UInt64, forKey key: Key) throws {
        _ = try core.member(key.stringValue, in: level)
        core.writer.integer(value)
    }

    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws {
        guard let value else { return try encodeNil(forKey: key) }
        try encode(value, forKey: key)
    }

    func encode(_ value: Int128, forKey key: Key) throws {
        _ = try core.member(key.stringValue, in: level)
        core.writer.integer(value)
    }

    func encodeIfPresent(_ value: Int128?, forKey key: Key) throws {
        guard let value else { return try encodeNil(forKey: key) }
        try encode(value, forKey: key)
    }

    func encode(_ value: UInt128, forKey key: Key) throws {
        _ = try core.member(key.stringValue, in: level)
        core.writer.integer(value)
    }

    func encodeIfPresent(_ value: UInt128?, forKey key: Key) throws {
        guard let value else { return try encodeNil(forKey: key) }
        try encode(value, forKey: key)
    }
}

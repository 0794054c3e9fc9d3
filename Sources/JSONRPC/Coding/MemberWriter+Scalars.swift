// Each type twice: the standard library's `encodeIfPresent` would leave a nil member out.

extension MemberWriter {
    func encode(_ value: Bool, forKey key: Key) throws {
        _ = try session.member(key.stringValue, in: frame)
        session.writer.bool(value)
    }

    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws {
        guard let value else { return try encodeNil(forKey: key) }
        try encode(value, forKey: key)
    }

    func encode(_ value: String, forKey key: Key) throws {
        _ = try session.member(key.stringValue, in: frame)
        session.writer.string(value)
    }

    func encodeIfPresent(_ value: String?, forKey key: Key) throws {
        guard let value else { return try encodeNil(forKey: key) }
        try encode(value, forKey: key)
    }

    func encode(_ value: Double, forKey key: Key) throws {
        try session.attempt(in: frame) {
            let part = try session.member(key.stringValue, in: frame)
            try session.double(value, key: key, parent: frame, part: part)
        }
    }

    func encodeIfPresent(_ value: Double?, forKey key: Key) throws {
        guard let value else { return try encodeNil(forKey: key) }
        try encode(value, forKey: key)
    }

    func encode(_ value: Float, forKey key: Key) throws {
        try session.attempt(in: frame) {
            let part = try session.member(key.stringValue, in: frame)
            try session.float(value, key: key, parent: frame, part: part)
        }
    }

    func encodeIfPresent(_ value: Float?, forKey key: Key) throws {
        guard let value else { return try encodeNil(forKey: key) }
        try encode(value, forKey: key)
    }

    func encode(_ value: Int, forKey key: Key) throws {
        _ = try session.member(key.stringValue, in: frame)
        session.writer.integer(value)
    }

    func encodeIfPresent(_ value: Int?, forKey key: Key) throws {
        guard let value else { return try encodeNil(forKey: key) }
        try encode(value, forKey: key)
    }

    func encode(_ value: Int8, forKey key: Key) throws {
        _ = try session.member(key.stringValue, in: frame)
        session.writer.integer(value)
    }

    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws {
        guard let value else { return try encodeNil(forKey: key) }
        try encode(value, forKey: key)
    }

    func encode(_ value: Int16, forKey key: Key) throws {
        _ = try session.member(key.stringValue, in: frame)
        session.writer.integer(value)
    }

    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws {
        guard let value else { return try encodeNil(forKey: key) }
        try encode(value, forKey: key)
    }

    func encode(_ value: Int32, forKey key: Key) throws {
        _ = try session.member(key.stringValue, in: frame)
        session.writer.integer(value)
    }

    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws {
        guard let value else { return try encodeNil(forKey: key) }
        try encode(value, forKey: key)
    }

    func encode(_ value: Int64, forKey key: Key) throws {
        _ = try session.member(key.stringValue, in: frame)
        session.writer.integer(value)
    }

    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws {
        guard let value else { return try encodeNil(forKey: key) }
        try encode(value, forKey: key)
    }

    func encode(_ value: UInt, forKey key: Key) throws {
        _ = try session.member(key.stringValue, in: frame)
        session.writer.integer(value)
    }

    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws {
        guard let value else { return try encodeNil(forKey: key) }
        try encode(value, forKey: key)
    }

    func encode(_ value: UInt8, forKey key: Key) throws {
        _ = try session.member(key.stringValue, in: frame)
        session.writer.integer(value)
    }

    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws {
        guard let value else { return try encodeNil(forKey: key) }
        try encode(value, forKey: key)
    }

    func encode(_ value: UInt16, forKey key: Key) throws {
        _ = try session.member(key.stringValue, in: frame)
        session.writer.integer(value)
    }

    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws {
        guard let value else { return try encodeNil(forKey: key) }
        try encode(value, forKey: key)
    }

    func encode(_ value: UInt32, forKey key: Key) throws {
        _ = try session.member(key.stringValue, in: frame)
        session.writer.integer(value)
    }

    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws {
        guard let value else { return try encodeNil(forKey: key) }
        try encode(value, forKey: key)
    }

    func encode(_ value: UInt64, forKey key: Key) throws {
        _ = try session.member(key.stringValue, in: frame)
        session.writer.integer(value)
    }

    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws {
        guard let value else { return try encodeNil(forKey: key) }
        try encode(value, forKey: key)
    }
}

/// A frame's value as it is.
struct ValueWriter: SingleValueEncodingContainer {
    let session: EncodingSession
    let frame: Int

    var codingPath: [any CodingKey] { session.codingPath(to: frame) }

    func encodeNil() throws {
        _ = try session.single(in: frame)
        session.writer.null()
    }

    func encode<T: Encodable>(_ value: T) throws {
        try session.attempt(in: frame) {
            let part = try session.single(in: frame)
            try session.encode(value, key: nil, parent: frame, part: part)
        }
    }
}

extension ValueWriter {
    func encode(_ value: Bool) throws {
        _ = try session.single(in: frame)
        session.writer.bool(value)
    }

    func encode(_ value: String) throws {
        _ = try session.single(in: frame)
        session.writer.string(value)
    }

    func encode(_ value: Double) throws {
        try session.attempt(in: frame) {
            let part = try session.single(in: frame)
            try session.double(value, key: nil, parent: frame, part: part)
        }
    }

    func encode(_ value: Float) throws {
        try session.attempt(in: frame) {
            let part = try session.single(in: frame)
            try session.float(value, key: nil, parent: frame, part: part)
        }
    }

    func encode(_ value: Int) throws {
        _ = try session.single(in: frame)
        session.writer.integer(value)
    }

    func encode(_ value: Int8) throws {
        _ = try session.single(in: frame)
        session.writer.integer(value)
    }

    func encode(_ value: Int16) throws {
        _ = try session.single(in: frame)
        session.writer.integer(value)
    }

    func encode(_ value: Int32) throws {
        _ = try session.single(in: frame)
        session.writer.integer(value)
    }

    func encode(_ value: Int64) throws {
        _ = try session.single(in: frame)
        session.writer.integer(value)
    }

    func encode(_ value: UInt) throws {
        _ = try session.single(in: frame)
        session.writer.integer(value)
    }

    func encode(_ value: UInt8) throws {
        _ = try session.single(in: frame)
        session.writer.integer(value)
    }

    func encode(_ value: UInt16) throws {
        _ = try session.single(in: frame)
        session.writer.integer(value)
    }

    func encode(_ value: UInt32) throws {
        _ = try session.single(in: frame)
        session.writer.integer(value)
    }

    func encode(_ value: UInt64) throws {
        _ = try session.single(in: frame)
        session.writer.integer(value)
    }
}

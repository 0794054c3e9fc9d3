/// The encoding container for a level's own value.
struct SingleValueWriter: SingleValueEncodingContainer {
    let core: EncoderCore
    let level: Int

    var codingPath: [any CodingKey] { core.codingPath(to: level) }

    func encodeNil() throws {
        _ = try core.single(in: level)
        core.writer.null()
    }

    func encode<T: Encodable>(_ value: T) throws {
        try core.attempt(in: level) {
            let part = try core.single(in: level)
            try core.encode(value, key: nil, parent: level, part: part)
        }
    }
}

extension SingleValueWriter {
    func encode(_ value: Bool) throws {
        _ = try core.single(in: level)
        core.writer.bool(value)
    }

    func encode(_ value: String) throws {
        _ = try core.single(in: level)
        core.writer.string(value)
    }

    func encode(_ value: Double) throws {
        try core.attempt(in: level) {
            let part = try core.single(in: level)
            try core.double(value, key: nil, parent: level, part: part)
        }
    }

    func encode(_ value: Float) throws {
        try core.attempt(in: level) {
            let part = try core.single(in: level)
            try core.float(value, key: nil, parent: level, part: part)
        }
    }

    func encode(_ value: Int) throws {
        _ = try core.single(in: level)
        core.writer.integer(value)
    }

    func encode(_ value: Int8) throws {
        _ = try core.single(in: level)
        core.writer.integer(value)
    }

    func encode(_ value: Int16) throws {
        _ = try core.single(in: level)
        core.writer.integer(value)
    }

    func encode(_ value: Int32) throws {
        _ = try core.single(in: level)
        core.writer.integer(value)
    }

    func encode(_ value: Int64) throws {
        _ = try core.single(in: level)
        core.writer.integer(value)
    }

    func encode(_ value: UInt) throws {
        _ = try core.single(in: level)
        core.writer.integer(value)
    }

    func encode(_ value: UInt8) throws {
        _ = try core.single(in: level)
        core.writer.integer(value)
    }

    func encode(_ value: UInt16) throws {
        _ = try core.single(in: level)
        core.writer.integer(value)
    }

    func encode(_ value: UInt32) throws {
        _ = try core.single(in: level)
        core.writer.integer(value)
    }

    func encode(_ value: UInt64) throws {
        _ = try core.single(in: level)
        core.writer.integer(value)
    }
}

/// The encoding container for the elements of a level's array.
struct UnkeyedWriter: UnkeyedEncodingContainer {
    let core: EncoderCore
    let level: Int

    var codingPath: [any CodingKey] { core.codingPath(to: level) }

    var count: Int {
        guard level < core.levels.count, case .array(let count) = core.levels[level].content else { return 0 }
        return count
    }

    /// The key of the element that was begun last.
    private var key: PathKey { PathKey(intValue: count - 1) }

    func encodeNil() throws {
        _ = try core.element(in: level)
        core.writer.null()
    }

    func encode<T: Encodable>(_ value: T) throws {
        try core.attempt(in: level) {
            let part = try core.element(in: level)
            try core.encode(value, key: key, parent: level, part: part)
        }
    }

    func nestedContainer<NestedKey: CodingKey>(keyedBy keyType: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
        nested().container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nested().unkeyedContainer() }

    func superEncoder() -> any Encoder { nested() }

    private func nested() -> LevelEncoder {
        guard let part = try? core.element(in: level) else { return LevelEncoder(core: core, level: .max) }
        return LevelEncoder(core: core, level: core.nested(in: level, key: key, at: part))
    }
}

extension UnkeyedWriter {
    func encode(_ value: Bool) throws {
        _ = try core.element(in: level)
        core.writer.bool(value)
    }

    func encode(_ value: String) throws {
        _ = try core.element(in: level)
        core.writer.string(value)
    }

    func encode(_ value: Double) throws {
        try core.attempt(in: level) {
            let part = try core.element(in: level)
            try core.double(value, key: key, parent: level, part: part)
        }
    }

    func encode(_ value: Float) throws {
        try core.attempt(in: level) {
            let part = try core.element(in: level)
            try core.float(value, key: key, parent: level, part: part)
        }
    }

    func encode(_ value: Int) throws {
        _ = try core.element(in: level)
        core.writer.integer(value)
    }

    func encode(_ value: Int8) throws {
        _ = try core.element(in: level)
        core.writer.integer(value)
    }

    func encode(_ value: Int16) throws {
        _ = try core.element(in: level)
        core.writer.integer(value)
    }

    func encode(_ value: Int32) throws {
        _ = try core.element(in: level)
        core.writer.integer(value)
    }

    func encode(_ value: Int64) throws {
        _ = try core.element(in: level)
        core.writer.integer(value)
    }

    func encode(_ value: UInt) throws {
        _ = try core.element(in: level)
        core.writer.integer(value)
    }

    func encode(_ value: UInt8) throws {
        _ = try core.element(in: level)
        core.writer.integer(value)
    }

    func encode(_ value: UInt16) throws {
        _ = try core.element(in: level)
        core.writer.integer(value)
    }

    func encode(_ value: UInt32) throws {
        _ = try core.element(in: level)
        core.writer.integer(value)
    }

    func encode(_ value: UInt64) throws {
        _ = try core.element(in: level)
        core.writer.integer(value)
    }
}

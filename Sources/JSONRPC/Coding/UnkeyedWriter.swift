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
    private var key: AnyKey { AnyKey(intValue: count - 1) }

    func encodeNil() throws {
        try core.element(in: level)
        core.writer.null()
    }

    @inline(__always)
    func encode<T: Encodable>(_ value: T) throws {
        try core.encode(value, key: key, in: level) { try core.element(in: level) }
    }

    func nestedContainer<NestedKey: CodingKey>(keyedBy keyType: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
        nested().container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nested().unkeyedContainer() }

    func superEncoder() -> any Encoder { nested() }

    private func nested() -> LevelEncoder {
        core.nested(in: level, key: key) { try core.element(in: level) }
    }
}

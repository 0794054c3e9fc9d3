/// The decoder of one level.
struct LevelDecoder: Decoder {
    let core: DecoderCore
    let level: Int

    var codingPath: [any CodingKey] {
        guard level < core.levels.count else { return [] }
        return core.codingPath(to: core.levels[level].place)
    }

    var userInfo: [CodingUserInfoKey: Any] {
        guard !core.isOver, level < core.levels.count else { return [:] }
        core.levels[level].isTouched = true
        return VerbatimText.userInfo(String(decoding: core.bytes.part(core.levels[level].value), as: UTF8.self))
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try core.openObject(level)
        return KeyedDecodingContainer(KeyedReader(core: core, level: level))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try UnkeyedReader(core, level)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        try core.check(level)
        core.levels[level].isTouched = true
        return SingleValueReader(core: core, level: level)
    }
}

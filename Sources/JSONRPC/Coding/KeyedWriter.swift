/// The encoding container for the members of a level's object.
struct KeyedWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let core: EncoderCore
    let level: Int

    var codingPath: [any CodingKey] { core.codingPath(to: level) }

    func encodeNil(forKey key: Key) throws {
        try core.member(key.stringValue, in: level)
        core.writer.null()
    }

    @inline(__always)
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try core.encode(value, key: key, in: level) { try core.member(key.stringValue, in: level) }
    }

    func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws {
        try encodeOrNil(value, key)
    }

    @inline(__always)
    func encodeOrNil<T: Encodable>(_ value: T?, _ key: Key) throws {
        guard let value else { return try encodeNil(forKey: key) }
        try encode(value, forKey: key)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        nested(key).container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        nested(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { nested(AnyKey(stringValue: "super")) }

    func superEncoder(forKey key: Key) -> any Encoder { nested(key) }

    private func nested(_ key: any CodingKey) -> LevelEncoder {
        core.nested(in: level, key: key) { try core.member(key.stringValue, in: level) }
    }
}

/// The decoding container for the members of a level's object.
struct KeyedReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let core: DecoderCore
    let level: Int

    var codingPath: [any CodingKey] {
        LevelDecoder(core: core, level: level).codingPath
    }

    /// The names that the key type can represent.
    ///
    /// They count as decoded.
    var allKeys: [Key] {
        guard !core.isOver, level < core.levels.count, let members = core.levels[level].members else {
            return []
        }
        let keys = members.compactMap { member -> Key? in
            guard let key = Key(stringValue: core.memberName(member)) else { return nil }
            core.markDecoded(member, in: level)
            return key
        }
        core.levels[level].hint = members.lowerBound
        return keys
    }

    func contains(_ key: Key) -> Bool {
        member(key) != nil
    }

    /// Finds a member and keeps the look-up hint on it, because callers usually decode a member that they have tested.
    private func member(_ key: Key) -> Int? {
        guard let member = try? core.member(key.stringValue, in: level) else { return nil }
        core.levels[level].hint = member
        return member
    }

    /// Returns the text of a member's value and its position in the structure.
    func located(_ key: Key, _ expected: @autoclosure () -> String) throws -> (Range<Int>, DecodingPosition) {
        guard let member = try core.member(key.stringValue, in: level) else {
            throw core.missing(key, in: level, expected: expected()) { Key(stringValue: $0) != nil }
        }
        return (core.members[member].value, DecodingPosition(parent: level, step: .member(member)))
    }

    /// Looks the member up once, and the standard library's function up to three times.
    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        guard let member = try core.member(key.stringValue, in: level) else { return nil }
        let value = core.members[member].value
        guard !core.isNull(value) else { return nil }
        return try core.decode(type, at: value, position: DecodingPosition(parent: level, step: .member(member)))
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        core.isNull(try located(key, Expectation.null).0)
    }

    @inline(__always)
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        let (value, position) = try located(key, Expectation.any(type))
        return try core.decode(type, at: value, position: position)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try nested(key, Expectation.object).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try nested(key, Expectation.array).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        guard let member = try core.member("super", in: level) else {
            throw core.missing(AnyKey(stringValue: "super"), in: level, expected: Expectation.object)
        }
        let position = DecodingPosition(parent: level, step: .member(member))
        return core.nested(core.members[member].value, position)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        try nested(key, Expectation.object)
    }

    private func nested(_ key: Key, _ expected: String) throws -> LevelDecoder {
        let (value, position) = try located(key, expected)
        return core.nested(value, position)
    }
}

extension DecoderCore {
    /// Adds a level inside the current one.
    ///
    /// It ends with the current level.
    func nested(_ value: Range<Int>, _ position: DecodingPosition) -> LevelDecoder {
        levels.append(DecodingLevel(value: value, position: position, isTop: false))
        // The caller has requested a decoder or a container and counts as reading the value.
        levels[levels.count - 1].isOpened = true
        return LevelDecoder(core: self, level: levels.count - 1)
    }
}

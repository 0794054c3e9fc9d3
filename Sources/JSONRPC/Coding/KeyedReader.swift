/// The members of a level's object.
struct KeyedReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let core: DecoderCore
    let level: Int

    var codingPath: [any CodingKey] {
        LevelDecoder(core: core, level: level).codingPath
    }

    /// All names that the key type can spell; they count as asked for.
    var allKeys: [Key] {
        guard !core.isOver, level < core.levels.count, let members = core.levels[level].members else {
            return []
        }
        let keys = members.compactMap { member -> Key? in
            guard let key = Key(stringValue: core.memberName(member)) else { return nil }
            core.ask(member, in: level)
            return key
        }
        core.levels[level].hint = members.lowerBound
        return keys
    }

    func contains(_ key: Key) -> Bool {
        member(key) != nil
    }

    /// The member of that name, and the hint left on it: what asks once, asks again.
    private func member(_ key: Key) -> Int? {
        guard let member = try? core.member(key.stringValue, in: level) else { return nil }
        core.levels[level].hint = member
        return member
    }

    /// The value of a member, and where it stands.
    func located(_ key: Key, _ expected: @autoclosure () -> String) throws -> (Range<Int>, DecodingPosition) {
        guard let member = try core.member(key.stringValue, in: level) else {
            throw core.missing(key, in: level, expected: expected())
        }
        return (core.members[member].value, DecodingPosition(parent: level, step: .member(member)))
    }

    /// As ``located(_:_:)``; nil where the member is missing or null.
    func present(_ key: Key) throws -> (Range<Int>, DecodingPosition)? {
        guard let member = try core.member(key.stringValue, in: level) else { return nil }
        let value = core.members[member].value
        return core.isNull(value) ? nil : (value, DecodingPosition(parent: level, step: .member(member)))
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        core.isNull(try located(key, Expectation.null).0)
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        let (value, place) = try located(key, Expectation.any(type))
        return try core.decode(type, at: value, place: place)
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        guard let (value, place) = try present(key) else { return nil }
        return try core.decode(type, at: value, place: place)
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
            throw core.missing(PathKey(stringValue: "super"), in: level, expected: Expectation.object)
        }
        let place = DecodingPosition(parent: level, step: .member(member))
        return core.nested(core.members[member].value, place)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        try nested(key, Expectation.object)
    }

    private func nested(_ key: Key, _ expected: String) throws -> LevelDecoder {
        let (value, place) = try located(key, expected)
        return core.nested(value, place)
    }
}

extension DecoderCore {
    /// A level inside of the one that is being decoded, which ends with it.
    func nested(_ value: Range<Int>, _ place: DecodingPosition) -> LevelDecoder {
        levels.append(DecodingLevel(value: value, place: place, isTop: false))
        // Whoever asks for a decoder or a container means to use it.
        levels[levels.count - 1].isTouched = true
        return LevelDecoder(core: self, level: levels.count - 1)
    }
}

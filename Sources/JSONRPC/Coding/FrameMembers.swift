/// The members of a frame's object.
struct FrameMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let session: DecodingSession
    let frame: Int

    var codingPath: [any CodingKey] {
        FrameDecoder(session: session, frame: frame).codingPath
    }

    /// All names that the key type can spell; they count as asked for.
    var allKeys: [Key] {
        guard !session.isOver, frame < session.frames.count, let members = session.frames[frame].members else {
            return []
        }
        let keys = members.compactMap { member -> Key? in
            guard let key = Key(stringValue: session.memberName(member)) else { return nil }
            session.ask(member, in: frame)
            return key
        }
        session.frames[frame].hint = members.lowerBound
        return keys
    }

    func contains(_ key: Key) -> Bool {
        member(key) != nil
    }

    /// The member of that name, and the hint left on it: what asks once, asks again.
    private func member(_ key: Key) -> Int? {
        guard let member = try? session.member(key.stringValue, in: frame) else { return nil }
        session.frames[frame].hint = member
        return member
    }

    /// The value of a member, and where it stands.
    func located(_ key: Key, _ expected: @autoclosure () -> String) throws -> (Range<Int>, DecodingPlace) {
        guard let member = try session.member(key.stringValue, in: frame) else {
            throw session.missing(key, in: frame, expected: expected())
        }
        return (session.members[member].value, DecodingPlace(parent: frame, step: .member(member)))
    }

    /// As ``located(_:_:)``; nil where the member is missing or null.
    func present(_ key: Key) throws -> (Range<Int>, DecodingPlace)? {
        guard let member = try session.member(key.stringValue, in: frame) else { return nil }
        let value = session.members[member].value
        return session.isNull(value) ? nil : (value, DecodingPlace(parent: frame, step: .member(member)))
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        session.isNull(try located(key, Expectation.null).0)
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        let (value, place) = try located(key, Expectation.any(type))
        return try session.decode(type, at: value, place: place)
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        guard let (value, place) = try present(key) else { return nil }
        return try session.decode(type, at: value, place: place)
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
        guard let member = try session.member("super", in: frame) else {
            throw session.missing(PathKey(stringValue: "super"), in: frame, expected: Expectation.object)
        }
        let place = DecodingPlace(parent: frame, step: .member(member))
        return session.nested(session.members[member].value, place)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        try nested(key, Expectation.object)
    }

    private func nested(_ key: Key, _ expected: String) throws -> FrameDecoder {
        let (value, place) = try located(key, expected)
        return session.nested(value, place)
    }
}

extension DecodingSession {
    /// A frame inside of the one that is being decoded, which ends with it.
    func nested(_ value: Range<Int>, _ place: DecodingPlace) -> FrameDecoder {
        frames.append(DecodingFrame(value: value, place: place, isTop: false))
        // Whoever asks for a decoder or a container means to use it.
        frames[frames.count - 1].isTouched = true
        return FrameDecoder(session: self, frame: frames.count - 1)
    }
}

/// The members of a frame's object.
struct MemberWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let session: EncodingSession
    let frame: Int

    var codingPath: [any CodingKey] { session.codingPath(to: frame) }

    func encodeNil(forKey key: Key) throws {
        _ = try session.member(key.stringValue, in: frame)
        session.writer.null()
    }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try session.attempt(in: frame) {
            let part = try session.member(key.stringValue, in: frame)
            try session.encode(value, key: key, parent: frame, part: part)
        }
    }

    func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws {
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

    func superEncoder() -> any Encoder { nested(PathKey(stringValue: "super")) }

    func superEncoder(forKey key: Key) -> any Encoder { nested(key) }

    private func nested(_ key: any CodingKey) -> FrameEncoder {
        // The requirement cannot throw; what is written to a frame that does not exist does.
        guard let part = try? session.member(key.stringValue, in: frame) else {
            return FrameEncoder(session: session, frame: .max)
        }
        return FrameEncoder(session: session, frame: session.nested(in: frame, key: key, at: part))
    }
}

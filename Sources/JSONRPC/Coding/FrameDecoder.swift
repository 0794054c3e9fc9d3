/// The decoder of one frame.
struct FrameDecoder: Decoder {
    let session: DecodingSession
    let frame: Int

    var codingPath: [any CodingKey] {
        guard frame < session.frames.count else { return [] }
        return session.codingPath(to: session.frames[frame].place)
    }

    var userInfo: [CodingUserInfoKey: Any] {
        guard !session.isOver, frame < session.frames.count else { return [:] }
        session.frames[frame].isTouched = true
        return VerbatimText.userInfo(String(decoding: session.bytes.part(session.frames[frame].value), as: UTF8.self))
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try session.openObject(frame)
        return KeyedDecodingContainer(FrameMembers(session: session, frame: frame))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try FrameElements(session, frame)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        try session.check(frame)
        session.frames[frame].isTouched = true
        return FrameValue(session: session, frame: frame)
    }
}

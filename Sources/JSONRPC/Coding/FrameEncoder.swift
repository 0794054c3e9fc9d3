/// The encoder of one frame.
struct FrameEncoder: Encoder {
    let session: EncodingSession
    let frame: Int

    var codingPath: [any CodingKey] { session.codingPath(to: frame) }

    var userInfo: [CodingUserInfoKey: Any] {
        let put: (String) -> Void = { [session, frame] text in
            guard (try? session.single(in: frame)) != nil else { return }
            // Between tokens a line break is white space, and inside of them there is none.
            let bytes = text.utf8.lazy.map { $0 == ASCII.lineFeed || $0 == ASCII.carriageReturn ? ASCII.space : $0 }
            session.writer.bytes.append(contentsOf: bytes)
        }
        return VerbatimText.userInfo(put)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        session.openObject(frame)
        return KeyedEncodingContainer(MemberWriter(session: session, frame: frame))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        session.openArray(frame)
        return ElementWriter(session: session, frame: frame)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        ValueWriter(session: session, frame: frame)
    }
}

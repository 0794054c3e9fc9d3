/// A value that is being encoded.
struct EncodingLevel {
    enum Content {
        /// The value is not written yet.
        case none
        /// A complete value of a single-value container.
        case single
        /// An open array or object, with the number of its elements or members.
        case array(Int)
        case object(Int)
    }

    /// The level around the value, or -1.
    let parent: Int
    /// The value's key in the level around it.
    let key: (any CodingKey)?
    var content = Content.none
}

/// The encoder of a level, and the container for the level's own value.
struct LevelEncoder: Encoder, SingleValueEncodingContainer {
    let core: EncoderCore
    let level: Int

    var codingPath: [any CodingKey] { core.codingPath(to: level) }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Writes JSON text as the level's value, unless the level has a value already.
    func put(_ text: String) {
        guard (try? core.single(in: level)) != nil else { return }
        // A line break in JSON text is always white space between tokens. A space keeps the message on one line.
        let bytes = text.utf8.lazy.map { $0 == ASCII.lineFeed || $0 == ASCII.carriageReturn ? ASCII.space : $0 }
        core.writer.bytes.append(contentsOf: bytes)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        core.open(.object(0), ASCII.openBrace, in: level)
        return KeyedEncodingContainer(KeyedWriter(core: core, level: level))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        core.open(.array(0), ASCII.openBracket, in: level)
        return UnkeyedWriter(core: core, level: level)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() throws {
        try core.single(in: level)
        core.writer.null()
    }

    @inline(__always)
    func encode<T: Encodable>(_ value: T) throws {
        try core.encode(value, key: nil, in: level) { try core.single(in: level) }
    }
}

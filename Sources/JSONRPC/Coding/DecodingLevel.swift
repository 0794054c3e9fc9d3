/// The position of a value: the level around it, and its step within that level.
struct DecodingPosition {
    enum Step {
        /// The value is the level's own value, or the whole text.
        case none
        /// The value is a member.
        ///
        /// The number is its index in ``DecoderCore/members``.
        case member(Int)
        /// The value is an element.
        case index(Int)
    }

    /// The index of the level around the value, or -1 for the whole text.
    var parent: Int
    var step: Step

    static let root = DecodingPosition(parent: -1, step: .none)
}

/// A value that is being decoded.
struct DecodingLevel {
    let value: Range<Int>
    let position: DecodingPosition
    /// Whether the value is the whole text.
    ///
    /// Only there are members ignored.
    let isTop: Bool
    /// Whether the value's type has requested a container or the text.
    var isOpened = false
    /// The value's members in ``DecoderCore/members``, after it was opened as an object.
    var members: Range<Int>?
    /// The number of members that the type has not decoded yet.
    var undecoded = 0
    /// The member that the type will probably decode next.
    var hint = 0
    /// The members by name, for an object with many members.
    var table: [ExactString: Int]?
    /// The names that the type has requested and the object lacks.
    ///
    /// The error for an unknown member lists them.
    var missing: [String] = []
}

/// A member of an object that is being decoded.
struct DecodingMember {
    var name: Range<Int>
    var value: Range<Int>
    var hasEscapes: Bool
    var isDecoded = false
}

/// The decoder of a level, and the container for the level's own value.
struct LevelDecoder: Decoder, SingleValueDecodingContainer {
    let core: DecoderCore
    let level: Int

    var codingPath: [any CodingKey] {
        guard level < core.levels.count else { return [] }
        return core.codingPath(to: core.levels[level].position)
    }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// The JSON text of the level's value, or nil after the level's end.
    var text: String? {
        guard !core.isOver, level < core.levels.count else { return nil }
        core.levels[level].isOpened = true
        return String(decoding: core.bytes.part(core.levels[level].value), as: UTF8.self)
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
        core.levels[level].isOpened = true
        return self
    }

    func decodeNil() -> Bool {
        (try? core.check(level)) != nil && core.isNull(core.levels[level].value)
    }

    /// Decodes the level's value at the level's own position, because an error of a scalar is an error of the level.
    @inline(__always)
    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try core.check(level)
        let position = DecodingPosition(parent: level, step: .none)
        let result = try core.decode(type, at: core.levels[level].value, position: position)
        // The nested decoding has rejected unknown members already.
        core.levels[level].undecoded = 0
        return result
    }
}

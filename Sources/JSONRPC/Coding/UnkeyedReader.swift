/// The decoding container for the elements of a level's array.
struct UnkeyedReader: UnkeyedDecodingContainer {
    let core: DecoderCore
    let level: Int
    var currentIndex = 0
    /// The offset of the next element or of the closing bracket.
    private var offset: Int

    init(_ core: DecoderCore, _ level: Int) throws {
        try core.check(level)
        core.levels[level].isOpened = true
        let value = core.levels[level].value
        guard core.bytes[value.lowerBound] == ASCII.openBracket else {
            throw core.typeMismatch(core.levels[level].position, Expectation.array, at: value)
        }
        self.core = core
        self.level = level
        var text = JSONScanner(core.bytes, from: value.lowerBound)
        _ = text.enter()
        offset = text.position
    }

    var codingPath: [any CodingKey] {
        LevelDecoder(core: core, level: level).codingPath
    }

    /// The number of elements.
    ///
    /// Each access scans the array.
    var count: Int? {
        guard !core.isOver, level < core.levels.count else { return nil }
        var count = 0
        JSONText.forEachElement(of: core.bytes.part(core.levels[level].value)) { _ in count += 1 }
        return count
    }

    var isAtEnd: Bool {
        core.isOver || offset >= core.bytes.count || core.bytes[offset] == ASCII.closeBracket
    }

    private var position: DecodingPosition {
        DecodingPosition(parent: level, step: .index(currentIndex))
    }

    /// Calls a closure with the next element, and moves past the element unless the closure throws.
    private mutating func element<T>(
        _ expected: @autoclosure () -> String,
        _ body: (DecoderCore, Range<Int>, DecodingPosition) throws -> T
    ) throws -> T {
        try core.check(level)
        guard !isAtEnd else {
            throw core.missing(AnyKey(intValue: currentIndex), in: level, expected: expected())
        }
        var text = JSONScanner(core.bytes, from: offset)
        let result = try body(core, text.skipValue(), position)
        _ = text.next()
        offset = text.position
        currentIndex += 1
        return result
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, core.isNull(offset..<(offset + 1)) else {
            if isAtEnd { _ = try element(Expectation.null) { _, _, _ in false } }
            return false
        }
        return try element(Expectation.null) { _, _, _ in true }
    }

    @inline(__always)
    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try element(Expectation.any(type)) { try $0.decode(type, at: $1, position: $2) }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try element(Expectation.object) { try $0.nested($1, $2).container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try element(Expectation.array) { try $0.nested($1, $2).unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder {
        try element(Expectation.object) { $0.nested($1, $2) }
    }
}

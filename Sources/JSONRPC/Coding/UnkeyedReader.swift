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
        var text = VerifiedText(core.bytes, from: value.lowerBound)
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
            throw core.missing(PathKey(intValue: currentIndex), in: level, expected: expected())
        }
        var text = VerifiedText(core.bytes, from: offset)
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

extension UnkeyedReader {
    mutating func decode(_ type: Bool.Type) throws -> Bool {
        try element(Expectation.boolean) { try $0.bool(at: $1, $2) }
    }

    mutating func decode(_ type: String.Type) throws -> String {
        try element(Expectation.string) { try $0.string(at: $1, $2) }
    }

    mutating func decode(_ type: Double.Type) throws -> Double {
        try element(Expectation.number) { try $0.double(at: $1, $2) }
    }

    mutating func decode(_ type: Float.Type) throws -> Float {
        try element(Expectation.number) { try $0.float(at: $1, $2) }
    }

    mutating func decode(_ type: Int.Type) throws -> Int {
        try element(Expectation.integer) { try $0.integer(type, at: $1, $2) }
    }

    mutating func decode(_ type: Int8.Type) throws -> Int8 {
        try element(Expectation.integer) { try $0.integer(type, at: $1, $2) }
    }

    mutating func decode(_ type: Int16.Type) throws -> Int16 {
        try element(Expectation.integer) { try $0.integer(type, at: $1, $2) }
    }

    mutating func decode(_ type: Int32.Type) throws -> Int32 {
        try element(Expectation.integer) { try $0.integer(type, at: $1, $2) }
    }

    mutating func decode(_ type: Int64.Type) throws -> Int64 {
        try element(Expectation.integer) { try $0.integer(type, at: $1, $2) }
    }

    mutating func decode(_ type: UInt.Type) throws -> UInt {
        try element(Expectation.integer) { try $0.integer(type, at: $1, $2) }
    }

    mutating func decode(_ type: UInt8.Type) throws -> UInt8 {
        try element(Expectation.integer) { try $0.integer(type, at: $1, $2) }
    }

    mutating func decode(_ type: UInt16.Type) throws -> UInt16 {
        try element(Expectation.integer) { try $0.integer(type, at: $1, $2) }
    }

    mutating func decode(_ type: UInt32.Type) throws -> UInt32 {
        try element(Expectation.integer) { try $0.integer(type, at: $1, $2) }
    }

    mutating func decode(_ type: UInt64.Type) throws -> UInt64 {
        try element(Expectation.integer) { try $0.integer(type, at: $1, $2) }
    }
}

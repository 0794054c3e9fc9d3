/// The elements of a frame's array.
struct FrameElements: UnkeyedDecodingContainer {
    let session: DecodingSession
    let frame: Int
    var currentIndex = 0
    /// Where the next element begins, or the array ends.
    private var position: Int

    init(_ session: DecodingSession, _ frame: Int) throws {
        try session.check(frame)
        session.frames[frame].isTouched = true
        let value = session.frames[frame].value
        guard session.bytes[value.lowerBound] == ASCII.openBracket else {
            throw session.typeMismatch(session.frames[frame].place, Expectation.array, at: value)
        }
        self.session = session
        self.frame = frame
        var text = VerifiedText(session.bytes, from: value.lowerBound)
        _ = text.enter()
        position = text.position
    }

    var codingPath: [any CodingKey] {
        FrameDecoder(session: session, frame: frame).codingPath
    }

    /// How many elements there are; counted each time.
    var count: Int? {
        guard !session.isOver, frame < session.frames.count else { return nil }
        var count = 0
        JSONText.forEachElement(of: session.bytes.part(session.frames[frame].value)) { _ in count += 1 }
        return count
    }

    var isAtEnd: Bool {
        session.isOver || position >= session.bytes.count || session.bytes[position] == ASCII.closeBracket
    }

    private var place: DecodingPlace {
        DecodingPlace(parent: frame, step: .index(currentIndex))
    }

    /// Calls a closure with the next element, and goes on to the one behind it unless the closure throws.
    private mutating func element<T>(
        _ expected: @autoclosure () -> String,
        _ body: (DecodingSession, Range<Int>, DecodingPlace) throws -> T
    ) throws -> T {
        try session.check(frame)
        guard !isAtEnd else {
            throw session.missing(PathKey(intValue: currentIndex), in: frame, expected: expected())
        }
        var text = VerifiedText(session.bytes, from: position)
        let result = try body(session, text.skipValue(), place)
        _ = text.next()
        position = text.position
        currentIndex += 1
        return result
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, session.isNull(position..<(position + 1)) else {
            if isAtEnd { _ = try element(Expectation.null) { _, _, _ in false } }
            return false
        }
        return try element(Expectation.null) { _, _, _ in true }
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try element(Expectation.any(type)) { try $0.decode(type, at: $1, place: $2) }
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

extension FrameElements {
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

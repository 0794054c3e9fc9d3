/// The bytes of a message or a part of it, borrowed for the duration of a call.
@usableFromInline package typealias Bytes = UnsafeRawBufferPointer

extension UnsafeRawBufferPointer {
    /// Returns a part of these bytes, borrowed from the same memory.
    ///
    /// Its offsets begin at 0.
    @inlinable
    package func part(_ range: Range<Int>) -> Bytes {
        Bytes(rebasing: self[range])
    }

    /// Returns the eight bytes at an offset as a word, with the first byte lowest.
    @inline(__always)
    func word(at offset: Int) -> UInt64 {
        UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}

/// The bytes that JSON's grammar and the framings use.
enum ASCII {
    @inline(__always) static var tab: UInt8 { 0x09 }
    @inline(__always) static var lineFeed: UInt8 { 0x0A }
    @inline(__always) static var carriageReturn: UInt8 { 0x0D }
    @inline(__always) static var space: UInt8 { 0x20 }
    @inline(__always) static var quote: UInt8 { 0x22 }
    @inline(__always) static var plus: UInt8 { 0x2B }
    @inline(__always) static var comma: UInt8 { 0x2C }
    @inline(__always) static var minus: UInt8 { 0x2D }
    @inline(__always) static var point: UInt8 { 0x2E }
    @inline(__always) static var zero: UInt8 { 0x30 }
    @inline(__always) static var nine: UInt8 { 0x39 }
    @inline(__always) static var colon: UInt8 { 0x3A }
    @inline(__always) static var openBracket: UInt8 { 0x5B }
    @inline(__always) static var backslash: UInt8 { 0x5C }
    @inline(__always) static var closeBracket: UInt8 { 0x5D }
    @inline(__always) static var openBrace: UInt8 { 0x7B }
    @inline(__always) static var closeBrace: UInt8 { 0x7D }

    /// Returns whether JSON allows the byte between tokens.
    @inline(__always)
    static func isWhiteSpace(_ byte: UInt8) -> Bool {
        byte == space || byte == lineFeed || byte == carriageReturn || byte == tab
    }

    @inline(__always)
    static func isDigit(_ byte: UInt8) -> Bool {
        byte &- zero <= 9
    }

    /// Returns the value of a hexadecimal digit, or nil for any other byte.
    @inline(__always)
    static func hexadecimal(_ byte: UInt8) -> UInt16? {
        switch byte {
        case 0x30...0x39: UInt16(byte &- 0x30)
        case 0x41...0x46: UInt16(byte &- 0x37)
        case 0x61...0x66: UInt16(byte &- 0x57)
        default: nil
        }
    }
}

/// Tests on eight bytes of a string at once (SIMD within a register).
enum SWAR {
    /// Marks the bytes that need special handling: a quote, a backslash, a control character, 0x80 or more.
    ///
    /// The mark is the top bit of a byte. The lowest mark is always right; marks above it may be wrong.
    @inline(__always)
    static func special(_ word: UInt64) -> UInt64 {
        (escaped(word) | word) & high
    }

    /// Marks the bytes that must be escaped in a string: a quote, a backslash, a control character.
    ///
    /// Only the lowest mark is reliable, as in ``special(_:)``.
    @inline(__always)
    static func escaped(_ word: UInt64) -> UInt64 {
        let control = (word &- 0x2020_2020_2020_2020) & ~word
        return (control | zeros(word ^ 0x2222_2222_2222_2222) | zeros(word ^ 0x5C5C_5C5C_5C5C_5C5C)) & high
    }

    /// Marks quotes and backslashes.
    ///
    /// Only the lowest mark is reliable, as in ``special(_:)``.
    @inline(__always)
    static func quoteOrBackslash(_ word: UInt64) -> UInt64 {
        (zeros(word ^ 0x2222_2222_2222_2222) | zeros(word ^ 0x5C5C_5C5C_5C5C_5C5C)) & high
    }

    @inline(__always)
    private static func zeros(_ word: UInt64) -> UInt64 {
        (word &- 0x0101_0101_0101_0101) & ~word
    }

    @inline(__always)
    private static var high: UInt64 { 0x8080_8080_8080_8080 }
}

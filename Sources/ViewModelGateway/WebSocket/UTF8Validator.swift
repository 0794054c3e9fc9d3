/// A check of UTF-8 text that arrives in parts (RFC 3629, section 4).
///
/// It refuses a text at the first byte that no valid text can have there.
struct UTF8Validator: Sendable {
    /// The number of bytes that the current character still needs.
    private var missing = 0
    /// The valid values of the next of these bytes.
    private var next: ClosedRange<UInt8> = 0x80...0xBF

    /// Whether the text so far does not end inside of a character.
    var isComplete: Bool { missing == 0 }

    /// Checks the next bytes of the text.
    ///
    /// - Returns: false if the text is invalid, whatever follows.
    mutating func consume(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var position = 0
        while position < bytes.count {
            if missing == 0 {
                position += Self.asciiPrefix(bytes, from: position)
                guard position < bytes.count else { return true }
                guard begin(bytes[position]) else { return false }
            } else {
                guard next.contains(bytes[position]) else { return false }
                missing -= 1
                next = 0x80...0xBF
            }
            position += 1
        }
        return true
    }

    /// Begins a character of several bytes.
    private mutating func begin(_ byte: UInt8) -> Bool {
        switch byte {
        case 0xC2...0xDF: missing = 1
        // The restrictions exclude overlong forms, surrogates and numbers above U+10FFFF.
        case 0xE0: (missing, next) = (2, 0xA0...0xBF)
        case 0xED: (missing, next) = (2, 0x80...0x9F)
        case 0xE1...0xEF: missing = 2
        case 0xF0: (missing, next) = (3, 0x90...0xBF)
        case 0xF1...0xF3: missing = 3
        case 0xF4: (missing, next) = (3, 0x80...0x8F)
        default: return false
        }
        return true
    }

    /// Returns the number of ASCII bytes from a position on.
    private static func asciiPrefix(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var position = start
        while position + 8 <= bytes.count,
            bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
        {
            position += 8
        }
        while position < bytes.count, bytes[position] < 0x80 { position += 1 }
        return position - start
    }
}

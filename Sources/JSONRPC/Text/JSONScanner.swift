/// A cursor over JSON text in borrowed bytes.
///
/// Each method starts at ``position`` and leaves it after the text that it has read. The methods that throw verify it.
struct JSONScanner {
    /// The maximum number of open containers.
    static let maximumDepth = 128

    let bytes: Bytes
    let end: Int
    /// The offset of the next byte.
    var position: Int

    init(_ bytes: Bytes, from position: Int = 0) {
        self.bytes = bytes
        self.position = position
        end = bytes.count
    }

    /// The error for the byte at the cursor.
    var unexpected: JSONSyntaxError {
        JSONSyntaxError(offset: position)
    }

    /// The byte at the cursor, or 0 at the end.
    ///
    /// No token begins with 0. A check for a token therefore fails at the end and at a NUL byte.
    @inline(__always)
    var current: UInt8 {
        position < end ? bytes[position] : 0
    }

    @inline(__always)
    mutating func skipWhiteSpace() {
        // Tokens begin with a byte above the space. In compact text the first comparison ends the loop.
        while position < end, bytes[position] <= ASCII.space, ASCII.isWhiteSpace(bytes[position]) {
            position &+= 1
        }
    }

    /// Reads one required byte.
    @inline(__always)
    mutating func expect(_ byte: UInt8) throws(JSONSyntaxError) {
        guard current == byte else { throw unexpected }
        position &+= 1
    }

    /// Reads trailing white space and checks that the text ends.
    mutating func finish() throws(JSONSyntaxError) {
        skipWhiteSpace()
        guard position == end else { throw unexpected }
    }
}

/// The error for text that violates RFC 8259 or the limits of the protocol's section 1.
package struct JSONSyntaxError: Error, Sendable, Equatable {
    /// The offset of the fault in bytes.
    ///
    /// It is the length of the message if the message ends too early.
    package var offset: Int

    package init(offset: Int) {
        self.offset = offset
    }
}

extension JSONScanner {
    /// Reads a number from its first byte, a minus or a digit.
    mutating func number() throws(JSONSyntaxError) {
        if bytes[position] == ASCII.minus { position &+= 1 }
        if current == ASCII.zero {
            position &+= 1
        } else {
            try digits()
        }
        if current == ASCII.point {
            position &+= 1
            try digits()
        }
        if current | 0x20 == 0x65 {  // e, E
            position &+= 1
            if current == ASCII.plus || current == ASCII.minus { position &+= 1 }
            try digits()
        }
    }

    /// Reads at least one digit.
    @inline(__always)
    private mutating func digits() throws(JSONSyntaxError) {
        guard ASCII.isDigit(current) else { throw unexpected }
        repeat { position &+= 1 } while position < end && ASCII.isDigit(bytes[position])
    }

    /// Reads `true`, `false` or `null`.
    private mutating func literal(_ text: StaticString) throws(JSONSyntaxError) {
        for index in 0..<text.utf8CodeUnitCount {
            try expect(text.utf8Start[index])
        }
    }

    /// Reads a value that is not a container.
    ///
    /// At the start of a container it returns false and reads nothing.
    @inline(__always)
    mutating func scalar() throws(JSONSyntaxError) -> Bool {
        switch current {
        case ASCII.quote: _ = try string()
        case ASCII.minus, ASCII.zero...ASCII.nine: try number()
        case 0x74: try literal("true")
        case 0x66: try literal("false")
        case 0x6E: try literal("null")
        case ASCII.openBrace, ASCII.openBracket: return false
        default: throw unexpected
        }
        return true
    }

    /// Reads one value of any kind from its first byte.
    ///
    /// `level` is the number of open containers around the value.
    @inline(__always)
    mutating func value(inside level: Int) throws(JSONSyntaxError) {
        if try !scalar() {
            try container(inside: level)
        }
    }

    /// Reads an array or an object from its opening bracket, without recursion.
    @inline(never)
    mutating func container(inside level: Int) throws(JSONSyntaxError) {
        // The kinds of the open containers: one bit each, 1 for an object, the innermost lowest.
        var kinds: UInt128 = 0
        var depth = level
        repeat {
            // A value begins here.
            if try !scalar() {
                let isObject = bytes[position] == ASCII.openBrace
                guard depth < Self.maximumDepth else { throw unexpected }
                depth &+= 1
                kinds = kinds &<< 1 | (isObject ? 1 : 0)
                position &+= 1
                skipWhiteSpace()
                if current != (isObject ? ASCII.closeBrace : ASCII.closeBracket) {
                    if isObject { try memberName() }
                    continue
                }
                position &+= 1
                kinds &>>= 1
                depth &-= 1
            }
            // A value has ended here.
            while depth > level {
                skipWhiteSpace()
                let isObject = kinds & 1 == 1
                if current == ASCII.comma {
                    position &+= 1
                    skipWhiteSpace()
                    if isObject { try memberName() }
                    break
                }
                try expect(isObject ? ASCII.closeBrace : ASCII.closeBracket)
                kinds &>>= 1
                depth &-= 1
            }
        } while depth > level
    }

    /// Reads the name of a member, the colon and the white space around it.
    @inline(__always)
    private mutating func memberName() throws(JSONSyntaxError) {
        guard current == ASCII.quote else { throw unexpected }
        _ = try string()
        skipWhiteSpace()
        try expect(ASCII.colon)
        skipWhiteSpace()
    }
}

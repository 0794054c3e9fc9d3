/// Methods for verified text, which inspect only the bytes that separate values.
///
/// The cursor stays within the bytes even if the text is not valid.
extension JSONScanner {
    /// Skips a string from its opening quote; returns whether it has escapes.
    @inline(__always)
    mutating func skipString() -> Bool {
        var hasEscapes = false
        position &+= 1
        while position < end {
            if position &+ 8 <= end {
                let mark = SWAR.quoteOrBackslash(bytes.word(at: position))
                guard mark != 0 else {
                    position &+= 8
                    continue
                }
                position &+= mark.trailingZeroBitCount &>> 3
            }
            let byte = bytes[position]
            position &+= 1
            if byte == ASCII.quote { return hasEscapes }
            if byte == ASCII.backslash {
                hasEscapes = true
                position &+= 1
            }
        }
        position = end
        return hasEscapes
    }

    /// Skips a value from its first byte; returns its position.
    @inline(__always)
    mutating func skipValue() -> Range<Int> {
        let start = position
        switch current {
        case ASCII.quote: _ = skipString()
        case ASCII.openBrace, ASCII.openBracket: skipContainer()
        default: skipScalar()
        }
        return Range(uncheckedBounds: (start, position))
    }

    /// Skips a number, `true`, `false` or `null`.
    @inline(__always)
    private mutating func skipScalar() {
        while position < end {
            switch bytes[position] {
            case ASCII.comma, ASCII.closeBrace, ASCII.closeBracket, ASCII.colon, 0...ASCII.space: return
            default: position &+= 1
            }
        }
    }

    @inline(never)
    private mutating func skipContainer() {
        var depth = 0
        while position < end {
            switch bytes[position] {
            case ASCII.quote:
                _ = skipString()
                continue
            case ASCII.openBrace, ASCII.openBracket:
                depth &+= 1
            case ASCII.closeBrace, ASCII.closeBracket:
                depth &-= 1
                if depth == 0 {
                    position &+= 1
                    return
                }
            default:
                break
            }
            position &+= 1
        }
    }

    /// Moves the cursor past an opening bracket to the first value or name; returns false for an empty container.
    @inline(__always)
    mutating func enter() -> Bool {
        skipWhiteSpace()
        position &+= 1
        skipWhiteSpace()
        return current != ASCII.closeBrace && current != ASCII.closeBracket && position < end
    }

    /// Moves the cursor to the next value or name of a container; returns false at its end.
    @inline(__always)
    mutating func next() -> Bool {
        skipWhiteSpace()
        guard current == ASCII.comma else { return false }
        position &+= 1
        skipWhiteSpace()
        return position < end
    }

    /// Reads the name of a member and the colon after it; returns the position of the name without its quotes.
    @inline(__always)
    mutating func name() -> (range: Range<Int>, hasEscapes: Bool) {
        let start = min(position &+ 1, end)
        let hasEscapes = skipString()
        let range = start..<max(start, position &- 1)
        skipWhiteSpace()
        position = min(position &+ 1, end)
        skipWhiteSpace()
        return (range, hasEscapes)
    }
}

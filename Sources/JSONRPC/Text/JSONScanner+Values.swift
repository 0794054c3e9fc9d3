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

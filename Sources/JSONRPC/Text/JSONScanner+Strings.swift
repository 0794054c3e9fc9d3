extension JSONScanner {
    /// Reads a string from its opening quote; returns whether it has escapes.
    @inline(__always)
    mutating func string() throws(JSONSyntaxError) -> Bool {
        var offset = position &+ 1
        while offset &+ 8 <= end {
            let special = SWAR.special(bytes.word(at: offset))
            guard special != 0 else {
                offset &+= 8
                continue
            }
            offset &+= special.trailingZeroBitCount &>> 3
            if bytes[offset] == ASCII.quote {
                position = offset &+ 1
                return false
            }
            break
        }
        position = offset
        return try restOfString()
    }

    /// Continues a string where the fast loop stops: at the last bytes of the text, escapes and bytes above 0x7F.
    @inline(never)
    private mutating func restOfString() throws(JSONSyntaxError) -> Bool {
        var hasEscapes = false
        while position < end {
            let byte = bytes[position]
            switch byte {
            case ASCII.quote:
                position &+= 1
                return hasEscapes
            case ASCII.backslash:
                hasEscapes = true
                try escape()
            case 0..<0x20:
                throw unexpected
            case 0x80...:
                try multibyteScalar()
            default:
                position &+= 1
                skipPlain()
            }
        }
        throw unexpected
    }

    /// Skips plain bytes, eight at a time, up to the next special byte or the last incomplete word.
    @inline(__always)
    private mutating func skipPlain() {
        while position &+ 8 <= end {
            let special = SWAR.special(bytes.word(at: position))
            guard special == 0 else {
                position &+= special.trailingZeroBitCount &>> 3
                return
            }
            position &+= 8
        }
    }

    private mutating func escape() throws(JSONSyntaxError) {
        position &+= 1
        switch current {
        case 0x22, 0x5C, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74:  // " \ / b f n r t
            position &+= 1
        case 0x75:
            let start = position &- 1
            let unit = try unicodeEscape()
            if 0xD800...0xDBFF ~= unit {
                guard current == ASCII.backslash else { throw JSONSyntaxError(offset: start) }
                position &+= 1
                guard current == 0x75, 0xDC00...0xDFFF ~= (try unicodeEscape()) else {
                    throw JSONSyntaxError(offset: start)
                }
            } else if 0xDC00...0xDFFF ~= unit {
                throw JSONSyntaxError(offset: start)
            }
        default:
            throw unexpected
        }
    }

    /// Reads `u` and four hexadecimal digits.
    private mutating func unicodeEscape() throws(JSONSyntaxError) -> UInt16 {
        position &+= 1
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = ASCII.hexadecimal(current) else { throw unexpected }
            unit = unit << 4 | digit
            position &+= 1
        }
        return unit
    }

    /// Reads one scalar of two to four bytes (RFC 3629, section 4): shortest form, no surrogate, at most U+10FFFF.
    private mutating func multibyteScalar() throws(JSONSyntaxError) {
        let lead = bytes[position]
        let length: Int
        let second: ClosedRange<UInt8>
        switch lead {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: throw unexpected
        }
        guard position &+ length <= end, second ~= bytes[position &+ 1] else { throw unexpected }
        for offset in 2..<max(length, 2) where bytes[position &+ offset] & 0xC0 != 0x80 {
            throw unexpected
        }
        position &+= length
    }
}

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
                try multibyteScalars()
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

    /// Reads the characters up to the next ASCII one, which are valid UTF-8 (RFC 3629, section 4).
    private mutating func multibyteScalars() throws(JSONSyntaxError) {
        let stop = bytes[position...].firstIndex { $0 < 0x80 } ?? end
        let run = bytes.part(position..<stop).assumingMemoryBound(to: UInt8.self)
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: run.span)
        } catch {
            throw JSONSyntaxError(offset: position + error.byteOffsets.lowerBound)
        }
        position = stop
    }
}

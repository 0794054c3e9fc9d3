extension JSONWriter {
    /// Appends a string in quotes.
    ///
    /// Only the quote, the backslash and the characters below U+0020 are escaped.
    package mutating func string(_ value: String) {
        bytes.append(ASCII.quote)
        let written: Void? = value.utf8.withContiguousStorageIfAvailable { contents(Bytes($0)) }
        if written == nil {
            Array(value.utf8).withUnsafeBytes { contents($0) }
        }
        bytes.append(ASCII.quote)
    }

    private mutating func contents(_ text: Bytes) {
        var start = 0
        while start < text.count {
            let end = Self.endOfPlain(text, from: start)
            bytes.append(contentsOf: text.part(start..<end))
            guard end < text.count else { return }
            escape(text[end])
            start = end &+ 1
        }
    }

    /// Returns the offset of the first byte that must be escaped.
    @inline(__always)
    private static func endOfPlain(_ text: Bytes, from start: Int) -> Int {
        var offset = start
        while offset &+ 8 <= text.count {
            let mark = SWAR.escaped(text.word(at: offset))
            guard mark == 0 else { return offset &+ (mark.trailingZeroBitCount &>> 3) }
            offset &+= 8
        }
        while offset < text.count {
            let byte = text[offset]
            if byte < ASCII.space || byte == ASCII.quote || byte == ASCII.backslash { break }
            offset &+= 1
        }
        return offset
    }

    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case ASCII.quote: raw(#"\""#)
        case ASCII.backslash: raw(#"\\"#)
        case 0x08: raw(#"\b"#)
        case 0x09: raw(#"\t"#)
        case 0x0A: raw(#"\n"#)
        case 0x0C: raw(#"\f"#)
        case 0x0D: raw(#"\r"#)
        default:
            raw(#"\u00"#)
            bytes.append(byte < 0x10 ? 0x30 : 0x31)
            let low = byte & 0x0F
            bytes.append(low < 10 ? 0x30 + low : 0x57 + low)
        }
    }
}

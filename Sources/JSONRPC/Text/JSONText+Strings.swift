extension JSONText {
    /// Returns the string for the text between two quotes, with its escapes resolved.
    package static func string(_ contents: Bytes) -> String {
        string(contents, hasEscapes: contents.contains(ASCII.backslash))
    }

    @inline(__always)
    static func string(_ contents: Bytes, hasEscapes: Bool) -> String {
        hasEscapes ? unescaped(contents) : String(decoding: contents, as: UTF8.self)
    }

    /// Resolves escapes.
    ///
    /// The result is never longer than the text.
    @inline(never)
    private static func unescaped(_ contents: Bytes) -> String {
        String(unsafeUninitializedCapacity: contents.count) { target in
            var count = 0
            var offset = 0
            func put(_ byte: UInt8) {
                target[count] = byte
                count &+= 1
            }
            while offset < contents.count {
                let byte = contents[offset]
                offset &+= 1
                guard byte == ASCII.backslash, offset < contents.count else {
                    put(byte)
                    continue
                }
                let letter = contents[offset]
                offset &+= 1
                switch letter {
                case 0x62: put(0x08)
                case 0x66: put(0x0C)
                case 0x6E: put(0x0A)
                case 0x72: put(0x0D)
                case 0x74: put(0x09)
                case 0x75:
                    let scalar = scalar(contents, &offset)
                    UTF8.encode(scalar)?.forEach(put)
                default: put(letter)
                }
            }
            return count
        }
    }

    /// Reads the digits of an escape, and its second half if it is a surrogate pair.
    private static func scalar(_ contents: Bytes, _ offset: inout Int) -> Unicode.Scalar {
        let high = unit(contents, offset)
        offset = min(offset &+ 4, contents.count)
        guard 0xD800...0xDBFF ~= high else { return Unicode.Scalar(high) ?? "\u{FFFD}" }
        let low = unit(contents, offset &+ 2)
        offset = min(offset &+ 6, contents.count)
        guard 0xDC00...0xDFFF ~= low else { return "\u{FFFD}" }
        return Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00)) ?? "\u{FFFD}"
    }

    private static func unit(_ contents: Bytes, _ offset: Int) -> UInt32 {
        // Only unverified text ends here. It yields `?`, one byte, which fits into the buffer.
        guard offset + 4 <= contents.count else { return 0x3F }
        return contents[offset..<(offset + 4)].reduce(0) { $0 << 4 | UInt32(ASCII.hexadecimal($1) ?? 0) }
    }
}

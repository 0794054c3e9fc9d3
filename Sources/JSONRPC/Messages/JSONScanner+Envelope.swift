extension JSONScanner {
    /// Reads one message from its first byte.
    ///
    /// `level` is the number of open containers around the message: 0, or 1 in a batch.
    @inline(__always)
    mutating func envelope(inside level: Int) throws(JSONSyntaxError) -> Envelope {
        guard current == ASCII.openBrace else {
            try value(inside: level)
            return Envelope(kind: .invalid(.notAnObject))
        }
        position &+= 1
        var envelope = Envelope(kind: .reply)
        skipWhiteSpace()
        if current == ASCII.closeBrace {
            position &+= 1
            envelope.finish()
            return envelope
        }
        while true {
            let member = try envelopeMember()
            skipWhiteSpace()
            try expect(ASCII.colon)
            skipWhiteSpace()
            let start = position
            let first = current
            var hasEscapes = false
            if first == ASCII.quote {
                hasEscapes = try string()
            } else {
                try value(inside: level &+ 1)
            }
            if let member {
                let range = Range(uncheckedBounds: (start, position))
                envelope.record(member, range, first: first, hasEscapes: hasEscapes, in: bytes)
            }
            skipWhiteSpace()
            guard current == ASCII.comma else { break }
            position &+= 1
            skipWhiteSpace()
        }
        try expect(ASCII.closeBrace)
        envelope.finish()
        return envelope
    }

    /// Reads the name of a member; returns nil for a name that the envelope does not define.
    @inline(__always)
    private mutating func envelopeMember() throws(JSONSyntaxError) -> Envelope.Member? {
        guard current == ASCII.quote else { throw unexpected }
        let start = position &+ 1
        let hasEscapes = try string()
        let length = position &- 1 &- start
        if hasEscapes { return escapedMember(start, length) }
        guard length <= 7, length > 0 else { return nil }
        var packed: UInt64 = 0
        if start &+ 8 <= end {
            packed = bytes.word(at: start) & ((1 &<< UInt64(length &* 8)) &- 1)
        } else {
            for offset in 0..<length {
                packed |= UInt64(bytes[start &+ offset]) &<< UInt64(offset &* 8)
            }
        }
        return Envelope.Member(rawValue: packed)
    }

    @inline(never)
    private func escapedMember(_ start: Int, _ length: Int) -> Envelope.Member? {
        let name = JSONText.string(bytes.part(start..<(start + length))).utf8
        guard name.count <= 7 else { return nil }
        var packed: UInt64 = 0
        for byte in name.reversed() {
            packed = packed << 8 | UInt64(byte)
        }
        // A trailing U+0000 packs to the same word as the name without it.
        return name.last == 0 ? nil : Envelope.Member(rawValue: packed)
    }
}

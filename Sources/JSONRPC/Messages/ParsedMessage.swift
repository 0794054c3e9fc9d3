/// The parsed form of one message (JSON-RPC 2.0, sections 4 and 6).
package enum ParsedMessage: Sendable, Equatable {
    /// One envelope.
    ///
    /// `[]` also parses to one envelope, an invalid request.
    case single(Envelope)
    /// The entries of a batch in order.
    ///
    /// `count` is their number in the text; a long batch keeps fewer envelopes.
    case batch([Envelope], count: Int)

    /// Parses a message and verifies all of it, in one pass and without recursion.
    ///
    /// The text must satisfy RFC 8259 and the limits of the protocol's section 1: valid UTF-8, no byte order mark, no
    /// lone surrogate escape, at most 128 levels. A single message allocates nothing, unless the names or the version
    /// in its envelope have escapes. The number of batch entries to keep bounds memory.
    ///
    /// - Throws: ``JSONSyntaxError`` with the offset of the first fault.
    package static func parse(_ bytes: Bytes, maximumBatch: Int) throws(JSONSyntaxError) -> ParsedMessage {
        var scanner = JSONScanner(bytes)
        scanner.skipWhiteSpace()
        if scanner.current == ASCII.openBracket {
            return try batch(&scanner, maximum: maximumBatch)
        }
        let envelope = try scanner.envelope(inside: 0)
        try scanner.finish()
        return .single(envelope)
    }

    @inline(never)
    private static func batch(
        _ scanner: inout JSONScanner,
        maximum: Int
    ) throws(JSONSyntaxError) -> ParsedMessage {
        var entries: [Envelope] = []
        var count = 0
        scanner.position += 1
        scanner.skipWhiteSpace()
        if scanner.current == ASCII.closeBracket {
            scanner.position += 1
            try scanner.finish()
            return .single(Envelope(kind: .invalid(.emptyBatch)))
        }
        while true {
            let entry = try scanner.envelope(inside: 1)
            count += 1
            if count <= maximum { entries.append(entry) }
            scanner.skipWhiteSpace()
            guard scanner.current == ASCII.comma else { break }
            scanner.position += 1
            scanner.skipWhiteSpace()
        }
        try scanner.expect(ASCII.closeBracket)
        try scanner.finish()
        return .batch(entries, count: count)
    }
}

extension Envelope {
    /// Parses a batch, which is an array of messages, by the rules of ``init(parsing:)``.
    ///
    /// - Parameters:
    ///   - bytes: the text of the batch.
    ///   - maximum: the number of entries to keep, which bounds memory.
    /// - Returns: the first entries, in order, and the number of all.
    /// - Throws: ``JSONSyntaxError`` with the offset of the first fault.
    package static func batch(
        in bytes: Bytes,
        maximum: Int
    ) throws(JSONSyntaxError) -> (entries: [Envelope], count: Int) {
        var scanner = JSONScanner(bytes)
        var entries: [Envelope] = []
        var count = 0
        scanner.skipWhiteSpace()
        try scanner.expect(ASCII.openBracket)
        scanner.skipWhiteSpace()
        if scanner.current != ASCII.closeBracket {
            while true {
                let entry = try scanner.envelope(inside: 1)
                count += 1
                if count <= maximum { entries.append(entry) }
                scanner.skipWhiteSpace()
                guard scanner.current == ASCII.comma else { break }
                scanner.position += 1
                scanner.skipWhiteSpace()
            }
        }
        try scanner.expect(ASCII.closeBracket)
        try scanner.finish()
        return (entries, count)
    }
}

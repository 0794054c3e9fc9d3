extension EncoderCore {
    /// Begins an object as a level's value, if the level has no value yet.
    func openObject(_ level: Int) {
        guard level < levels.count, case .none = levels[level].content else { return }
        select(levels[level].part)
        writer.byte(ASCII.openBrace)
        levels[level].content = .object(0)
    }

    /// Begins an array as a level's value, if the level has no value yet.
    func openArray(_ level: Int) {
        guard level < levels.count, case .none = levels[level].content else { return }
        select(levels[level].part)
        writer.byte(ASCII.openBracket)
        levels[level].content = .array(0)
    }

    /// Begins a member of a level's object; returns the part that receives its value.
    @inline(__always)
    func member(_ name: String, in level: Int) throws -> Int {
        guard level < levels.count, case .object(let count) = levels[level].content else { throw misuse }
        let part = levels[level].part
        select(part)
        if count > 0 { writer.byte(ASCII.comma) }
        levels[level].content = .object(count &+ 1)
        writer.string(name)
        writer.byte(ASCII.colon)
        return part
    }

    /// Begins an element of a level's array; returns the part that receives it.
    @inline(__always)
    func element(in level: Int) throws -> Int {
        guard level < levels.count, case .array(let count) = levels[level].content else { throw misuse }
        let part = levels[level].part
        select(part)
        if count > 0 { writer.byte(ASCII.comma) }
        levels[level].content = .array(count &+ 1)
        return part
    }

    /// Begins a level's single value; returns the part that receives it.
    @inline(__always)
    func single(in level: Int) throws -> Int {
        guard level < levels.count, case .none = levels[level].content else { throw misuse }
        levels[level].content = .single
        let part = levels[level].part
        select(part)
        return part
    }

    /// Ends a level's value.
    ///
    /// A value that was never written becomes `{}`, as for a type without properties.
    func close(_ level: Int) {
        let content = levels[level].content
        levels[level].content = .closed
        switch content {
        case .single, .closed:
            return
        case .none:
            select(levels[level].part)
            writer.raw("{}")
        case .array:
            select(levels[level].part)
            writer.byte(ASCII.closeBracket)
        case .object:
            select(levels[level].part)
            writer.byte(ASCII.closeBrace)
        }
    }

    /// Adds a level with a separate part, which will be inserted at the current end of another part.
    func nested(in level: Int, key: (any CodingKey)?, at part: Int) -> Int {
        select(part)
        parts[part].insertions.append((writer.bytes.count, parts.count))
        levels.append(EncodingLevel(part: parts.count, parent: level, key: key))
        parts.append(EncodingPart())
        return levels.count - 1
    }

    /// Inserts the parts made since a mark into the part that they belong to, and removes them.
    func assemble(_ part: Int, from mark: Int) {
        select(part)
        let first = parts[part].insertions.firstIndex { $0.part >= mark }
        if let first {
            let insertions = Array(parts[part].insertions[first...])
            parts[part].insertions.removeSubrange(first...)
            let start = insertions[0].offset
            let tail = Array(writer.bytes[start...])
            writer.bytes.removeSubrange(start...)
            splice(tail, from: start, insertions)
        }
        parts.removeSubrange(mark...)
    }

    private func splice(_ text: [UInt8], from start: Int, _ insertions: [(offset: Int, part: Int)]) {
        var written = 0
        for (offset, part) in insertions {
            writer.bytes.append(contentsOf: text[written..<(offset - start)])
            written = offset - start
            splice(parts[part].bytes, from: 0, parts[part].insertions)
        }
        writer.bytes.append(contentsOf: text[written...])
    }
}

extension EncodingSession {
    /// Makes a frame's value an object, unless it is one already.
    func openObject(_ frame: Int) {
        guard frame < frames.count, case .none = frames[frame].content else { return }
        select(frames[frame].part)
        writer.byte(ASCII.openBrace)
        frames[frame].content = .object(0)
    }

    /// Makes a frame's value an array, unless it is one already.
    func openArray(_ frame: Int) {
        guard frame < frames.count, case .none = frames[frame].content else { return }
        select(frames[frame].part)
        writer.byte(ASCII.openBracket)
        frames[frame].content = .array(0)
    }

    /// Begins a member of a frame's object; returns the part to write its value to.
    @inline(__always)
    func member(_ name: String, in frame: Int) throws -> Int {
        guard frame < frames.count, case .object(let count) = frames[frame].content else { throw misuse }
        let part = frames[frame].part
        select(part)
        if count > 0 { writer.byte(ASCII.comma) }
        frames[frame].content = .object(count &+ 1)
        writer.string(name)
        writer.byte(ASCII.colon)
        return part
    }

    /// Begins an element of a frame's array; returns the part to write it to.
    @inline(__always)
    func element(in frame: Int) throws -> Int {
        guard frame < frames.count, case .array(let count) = frames[frame].content else { throw misuse }
        let part = frames[frame].part
        select(part)
        if count > 0 { writer.byte(ASCII.comma) }
        frames[frame].content = .array(count &+ 1)
        return part
    }

    /// Begins a frame's single value; returns the part to write it to.
    @inline(__always)
    func single(in frame: Int) throws -> Int {
        guard frame < frames.count, case .none = frames[frame].content else { throw misuse }
        frames[frame].content = .single
        let part = frames[frame].part
        select(part)
        return part
    }

    /// Ends a frame's value; one that was never written is an empty object, as that of a type without properties.
    func close(_ frame: Int) {
        let content = frames[frame].content
        frames[frame].content = .closed
        switch content {
        case .single, .closed:
            return
        case .none:
            select(frames[frame].part)
            writer.raw("{}")
        case .array:
            select(frames[frame].part)
            writer.byte(ASCII.closeBracket)
        case .object:
            select(frames[frame].part)
            writer.byte(ASCII.closeBrace)
        }
    }

    /// Makes a frame with a part of its own, to be put where another part now ends.
    func nested(in frame: Int, key: (any CodingKey)?, at part: Int) -> Int {
        select(part)
        parts[part].insertions.append((writer.bytes.count, parts.count))
        frames.append(EncodingFrame(part: parts.count, parent: frame, key: key))
        parts.append(EncodingPart())
        return frames.count - 1
    }

    /// Puts the parts made since a mark into the one that they were made for, and forgets them.
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

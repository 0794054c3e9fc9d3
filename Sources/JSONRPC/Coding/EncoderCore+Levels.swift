extension EncoderCore {
    /// Begins an object or an array as a level's value, if the level has no value yet.
    @inline(__always)
    func open(_ content: EncodingLevel.Content, _ bracket: UInt8, in level: Int) {
        guard level < levels.count, case .none = levels[level].content else { return }
        writer.byte(bracket)
        levels[level].content = content
    }

    @inline(__always)
    func member(_ name: String, in level: Int) throws {
        guard level < levels.count, case .object(let count) = levels[level].content else { throw misuse }
        if count > 0 { writer.byte(ASCII.comma) }
        levels[level].content = .object(count &+ 1)
        writer.string(name)
        writer.byte(ASCII.colon)
    }

    @inline(__always)
    func element(in level: Int) throws {
        guard level < levels.count, case .array(let count) = levels[level].content else { throw misuse }
        if count > 0 { writer.byte(ASCII.comma) }
        levels[level].content = .array(count &+ 1)
    }

    @inline(__always)
    func single(in level: Int) throws {
        guard level < levels.count, case .none = levels[level].content else { throw misuse }
        levels[level].content = .single
    }

    /// Ends a level's value.
    ///
    /// A value that was never written becomes `{}`, as for a type without properties.
    func close(_ level: Int) {
        switch levels[level].content {
        case .single: break
        case .none: writer.raw("{}")
        case .array: writer.byte(ASCII.closeBracket)
        case .object: writer.byte(ASCII.closeBrace)
        }
    }

    /// Returns the encoder of a container or a super encoder, whose text is inserted behind the text that `begin` writes.
    func nested(in level: Int, key: @autoclosure () -> any CodingKey, _ begin: () throws -> Void) -> LevelEncoder {
        // The protocol does not allow an error here. The invalid level makes the first write throw.
        guard (try? begin()) != nil else { return LevelEncoder(core: self, level: .max) }
        let inner = EncoderCore(JSONWriter(), path: codingPath(to: level) + [key()])
        inner.levels.append(EncodingLevel(parent: -1, key: nil))
        insertions.append((writer.bytes.count, inner))
        return LevelEncoder(core: inner, level: 0)
    }

    /// Inserts the texts of the nested encoders that were made since a mark, which cannot be used any more.
    func assemble(from mark: Int) {
        var end = writer.bytes.count
        var parts: [ArraySlice<UInt8>] = []
        for (offset, inner) in insertions[mark...].reversed() {
            inner.close(0)
            inner.levels = []
            inner.assemble(from: 0)
            parts += [writer.bytes[offset..<end], inner.writer.bytes[...]]
            end = offset
        }
        insertions.removeSubrange(mark...)
        writer.bytes.replaceSubrange(end..., with: parts.reversed().joined())
    }
}

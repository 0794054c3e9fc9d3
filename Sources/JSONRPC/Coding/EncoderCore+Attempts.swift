extension EncoderCore {
    /// Lets a closure begin and write a value of a level; takes everything back when it throws, so that a type that
    /// swallows the error leaves valid text.
    @inline(__always)
    func attempt(in level: Int, _ body: () throws -> Void) throws {
        guard level < levels.count else { throw misuse }
        let part = levels[level].part
        select(part)
        let offset = writer.bytes.count
        let content = levels[level].content
        let insertions = parts[part].insertions.count
        let mark = parts.count
        do {
            try body()
        } catch {
            select(part)
            writer.bytes.removeSubrange(offset...)
            levels[level].content = content
            parts[part].insertions.removeSubrange(insertions...)
            parts.removeSubrange(mark...)
            throw error
        }
    }

    /// The error for a second value where there is one, or for an encoder that was kept after its time.
    var misuse: EncodingError {
        .invalidValue(
            (),
            .init(codingPath: [], debugDescription: "a value was encoded twice, or after its encoder's time")
        )
    }
}

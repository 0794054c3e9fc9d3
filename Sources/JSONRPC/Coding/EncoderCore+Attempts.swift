extension EncoderCore {
    /// Runs a closure that writes a value of a level.
    ///
    /// If it throws, removes all that it has written.
    ///
    /// A type that swallows the error therefore leaves valid text.
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

    /// The error for a second value in one position, or for an encoder that has outlived its level.
    var misuse: EncodingError {
        .invalidValue(
            (),
            .init(codingPath: [], debugDescription: "a value was encoded twice, or after its encoder's time")
        )
    }
}

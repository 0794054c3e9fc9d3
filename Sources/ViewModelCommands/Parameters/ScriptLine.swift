/// Splits a script's line into words as a shell does, without expanding anything.
///
/// Single quotes keep everything, double quotes know `\"` and `\\`, a backslash keeps the next character, and a `#` that
/// begins a word begins a comment.
enum ScriptLine {
    /// The line's words; none for an empty line or a comment.
    ///
    /// - Throws: ``CommandFailure`` for a quote that is not closed, or a backslash with nothing behind it.
    static func words(_ line: String) throws(CommandFailure) -> [String] {
        var words: [String] = []
        var word: String?
        var rest = Substring(line)
        while let character = rest.popFirst() {
            switch character {
            case " ", "\t", "\r", "\n", "\r\n":
                if let finished = word.take() { words.append(finished) }
            case "#" where word == nil:
                return words
            case "'", "\"":
                word = (word ?? "") + (try quoted(by: character, &rest))
            case "\\":
                guard let next = rest.popFirst() else { throw .usage("A backslash ends the line") }
                word = (word ?? "") + String(next)
            default:
                word = (word ?? "") + String(character)
            }
        }
        if let word { words.append(word) }
        return words
    }

    private static func quoted(by quote: Character, _ rest: inout Substring) throws(CommandFailure) -> String {
        var text = ""
        while let character = rest.popFirst() {
            if character == quote { return text }
            if character == "\\", quote == "\"", let next = rest.first, next == "\"" || next == "\\" {
                rest.removeFirst()
                text.append(next)
            } else {
                text.append(character)
            }
        }
        throw .usage("A quote \(quote) is not closed")
    }
}

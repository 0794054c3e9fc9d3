/// A parser that splits a script's line into words like a shell, without expansions.
///
/// Text in single quotes stays unchanged. Double quotes support `\"` and `\\`. A backslash quotes the next character. A
/// `#` at the start of a word starts a comment. A combining mark behind one of these characters is a character of its own.
enum ScriptLine {
    /// Returns the words of a line; an empty line or a comment has no words.
    ///
    /// - Throws: ``CommandFailure`` for an unclosed quote or a backslash at the end.
    static func words(_ line: String) throws(CommandFailure) -> [String] {
        var words: [String] = []
        var word: String.UnicodeScalarView?
        var rest = line.unicodeScalars[...]
        while let character = rest.popFirst() {
            switch character {
            case " ", "\t", "\r", "\n":
                if let finished = word.take() { words.append(String(finished)) }
            case "#" where word == nil:
                return words
            case "'", "\"":
                word = word ?? .init()
                word?.append(contentsOf: try quoted(by: character, &rest))
            case "\\":
                guard let next = rest.popFirst() else { throw .usage("A backslash ends the line") }
                word = word ?? .init()
                word?.append(next)
            default:
                word = word ?? .init()
                word?.append(character)
            }
        }
        if let word { words.append(String(word)) }
        return words
    }

    private static func quoted(
        by quote: Unicode.Scalar,
        _ rest: inout Substring.UnicodeScalarView
    ) throws(CommandFailure) -> String.UnicodeScalarView {
        var text = String.UnicodeScalarView()
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

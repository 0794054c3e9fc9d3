/// A line divided into words like a shell, without expansions, so that nothing is ever executed.
///
/// Text in single quotes stays unchanged. In double quotes a backslash quotes `"` and `\`, elsewhere any next character. A
/// combining mark behind one of these characters is a character of its own.
struct ShellLine {
    /// The words, of which the last one of a line that is being typed is unfinished and may be empty.
    private(set) var words: [String] = []
    private(set) var quote: Unicode.Scalar?
    /// The number of code points of the last word that readline keeps: those up to the last break outside of quotes, or
    /// up to the open quote.
    private(set) var keptCount = 0
    private var endsWithBackslash = false

    /// Parses a line that is being typed, up to the cursor.
    ///
    /// `breaks` are the characters at which readline divides words, beside quotes and blanks.
    init(typed line: String, breaks: String = "") {
        // In double quotes a shell also reads an escaped $ or `.
        self.init(line, isScript: false, breaks: breaks, quotable: "\"\\$`")
    }

    /// Returns the words of a script's line; an empty line or a comment, which begins with `#`, has no words.
    static func words(ofScript line: String) throws(CommandFailure) -> [String] {
        let line = ShellLine(line, isScript: true, breaks: "", quotable: "\"\\")
        if let quote = line.quote { throw .usage("A quote \(quote) is not closed") }
        if line.endsWithBackslash { throw .usage("A backslash ends the line") }
        return line.words
    }

    private init(_ line: String, isScript: Bool, breaks: String, quotable: String) {
        let breaks = Set(breaks.unicodeScalars).subtracting(["'", "\"", " ", "\t", "\n"])
        var word: String.UnicodeScalarView?
        var countBeforeQuote = 0
        var rest = line.unicodeScalars[...]
        while let character = rest.popFirst() {
            switch (quote, character) {
            case (nil, " "), (nil, "\t"), (nil, "\r"), (nil, "\n"):
                if let finished = word.take() { words.append(String(finished)) }
                keptCount = 0
                continue
            case (nil, "#") where isScript && word == nil: return
            default: break
            }
            var next = word ?? .init()
            switch (quote, character) {
            case (nil, "'"), (nil, "\""):
                quote = character
                (countBeforeQuote, keptCount) = (keptCount, next.count)
            case (nil, "\\"):
                if let quoted = rest.popFirst() { next.append(quoted) } else { endsWithBackslash = true }
            case ("'", "'"), ("\"", "\""): (quote, keptCount) = (nil, countBeforeQuote)
            case ("\"", "\\"):
                if let quoted = rest.first, quotable.unicodeScalars.contains(quoted) {
                    rest.removeFirst()
                    next.append(quoted)
                } else if !rest.isEmpty {
                    next.append(character)
                }
            default:
                next.append(character)
                if quote == nil, breaks.contains(character) { keptCount = next.count }
            }
            word = next
        }
        if let last = word ?? (isScript ? nil : .init()) { words.append(String(last)) }
    }

    /// Returns a text that the shell reads as this one at the end of the line.
    func quoted(_ text: String) -> String {
        text.unicodeScalars.map { character in
            switch quote {
            case "'": character == "'" ? #"'\''"# : "\(character)"
            // bash replaces ! in double quotes, and keeps a backslash before it.
            case "\"" where character == "!": #""\!""#
            case "\"": "\"\\$`".unicodeScalars.contains(character) ? "\\\(character)" : "\(character)"
            default:
                " \t\\\"'`$&|;<>()*?[]{}!#~".unicodeScalars.contains(character) ? "\\\(character)" : "\(character)"
            }
        }.joined()
    }
}

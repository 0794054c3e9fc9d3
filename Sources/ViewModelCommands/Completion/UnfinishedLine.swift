/// A command line that is being typed in a shell, without its quotes and escapes.
///
/// Nothing is expanded, so that nothing is ever executed.
struct UnfinishedLine {
    /// The words, of which the last one is unfinished and may be empty.
    private(set) var words: [String] = []
    /// The quote in which the line ends, or nil.
    private(set) var quote: Unicode.Scalar?
    /// The number of code points of the last word that readline keeps: those up to the last break outside of quotes, or
    /// up to the open quote.
    private(set) var keptCount = 0

    /// Parses a line.
    ///
    /// - Parameters:
    ///   - line: The line up to the cursor.
    ///   - breaks: The characters at which readline divides words, beside quotes and blanks.
    init(_ line: String, breaks: String = "") {
        let breaks = Set(breaks.unicodeScalars).subtracting(["'", "\"", " ", "\t", "\n"])
        var word = String.UnicodeScalarView()
        var isInWord = false
        var countBeforeQuote = 0
        var rest = line.unicodeScalars[...]
        while let character = rest.popFirst() {
            switch (quote, character) {
            case (nil, " "), (nil, "\t"), (nil, "\n"):
                if isInWord { words.append(String(word)) }
                (word, isInWord, keptCount) = (String.UnicodeScalarView(), false, 0)
                continue
            case (nil, "'"), (nil, "\""):
                quote = character
                (countBeforeQuote, keptCount) = (keptCount, word.count)
            case (nil, "\\"): if let next = rest.popFirst() { word.append(next) }
            case ("'", "'"), ("\"", "\""): (quote, keptCount) = (nil, countBeforeQuote)
            case ("\"", "\\"):
                // A backslash before another character stays.
                if let next = rest.first, "\"\\$`".unicodeScalars.contains(next) {
                    rest.removeFirst()
                    word.append(next)
                } else if !rest.isEmpty {
                    word.append(character)
                }
            default:
                word.append(character)
                if quote == nil, breaks.contains(character) { keptCount = word.count }
            }
            isInWord = true
        }
        words.append(String(word))
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

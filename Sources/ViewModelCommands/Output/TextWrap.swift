/// A breaker of text into lines of a limited width.
enum TextWrap {
    /// Returns the lines of a text, broken at blanks, and inside of words that are wider than a line.
    ///
    /// At least one grapheme cluster stands on each line.
    static func lines(_ text: String, columns: Int) -> [String] {
        guard DisplayWidth.of(text) > columns else { return [text] }
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ", omittingEmptySubsequences: true) {
            if !line.isEmpty, DisplayWidth.of(line) + 1 + DisplayWidth.of(word) <= columns {
                line += " " + word
                continue
            }
            if !line.isEmpty { lines.append(line) }
            line = String(word)
            while DisplayWidth.of(line) > columns {
                let fitting = DisplayWidth.prefix(line, columns: columns)
                let start = fitting.isEmpty ? line.prefix(1) : fitting
                lines.append(String(start))
                line = String(line[start.endIndex...])
            }
        }
        if !line.isEmpty { lines.append(line) }
        return lines
    }

    /// Returns a text with line feeds, broken at blanks; nil is any width.
    static func text(_ text: String, columns: Int?) -> String {
        columns.map { lines(text, columns: $0).joined(separator: "\n") } ?? text
    }
}

/// A reader of the list items `- Parameter name: text`, and of those below `- Parameters:`, in a doc comment.
struct ParameterTexts {
    private let names: Set<String>
    /// The lines of the texts by the names of the parameters.
    private(set) var found: [String: [String]] = [:]

    /// Creates a reader of the texts of some parameters.
    ///
    /// The texts of others stay in the comment.
    init(_ names: Set<String>) {
        self.names = names
    }

    /// Returns the lines of a comment without the texts of the parameters.
    mutating func removed(from lines: some RandomAccessCollection<String>, isBelowHeader: Bool = false) -> [String] {
        let lines = Array(lines)
        var rest: [String] = []
        var position = 0
        var isCode = false
        while position < lines.count {
            let line = lines[position]
            let content = line.drop(while: \.isWhitespace)
            if content.hasPrefix("```") || content.hasPrefix("~~~") { isCode.toggle() }
            let end = isCode ? position + 1 : Self.end(ofItemAt: position, in: lines)
            if !isCode, let (name, text) = Self.item(content, isBelowHeader), names.contains(name) {
                found[name] = [text] + lines[(position + 1)..<end].map { String($0.drop(while: \.isWhitespace)) }
                position = end
            } else if !isCode, content.contains(/^[-*+]\s+Parameters\s*:\s*$/.ignoresCase()) {
                let others = removed(from: lines[(position + 1)..<end], isBelowHeader: true)
                if !others.allSatisfy({ $0.allSatisfy(\.isWhitespace) }) { rest += [line] + others }
                position = end
            } else {
                rest.append(line)
                position += 1
            }
        }
        return rest
    }

    /// Returns the name and the first line of the text of a parameter.
    private static func item(_ content: Substring, _ isBelowHeader: Bool) -> (name: String, text: String)? {
        let item = /^[-*+]\s+`?(\w+)`?\s*:\s*(.*)$/
        let alone = /^[-*+]\s+Parameter\s+`?(\w+)`?\s*:\s*(.*)$/.ignoresCase()
        guard let match = content.firstMatch(of: isBelowHeader ? item : alone) else { return nil }
        return (String(match.1), String(match.2))
    }

    /// Returns the position after the item of a list: after the lines that are indented deeper, and those that continue
    /// its paragraph.
    private static func end(ofItemAt position: Int, in lines: [String]) -> Int {
        func indentation(_ line: String) -> Int { line.prefix(while: \.isWhitespace).count }
        var end = position + 1
        var isParagraph = true
        for (index, line) in lines.enumerated().dropFirst(end) {
            let content = line.drop(while: \.isWhitespace)
            if content.isEmpty {
                isParagraph = false
                continue
            }
            let isDeeper = indentation(line) > indentation(lines[position])
            guard isDeeper || isParagraph && !content.contains(/^([-*+>|]|#+|\d+[.)])(\s|$)|^(```|~~~)/) else { break }
            end = index + 1
            isParagraph = true
        }
        return end
    }
}

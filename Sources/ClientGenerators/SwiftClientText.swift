import ViewModelContract

/// The lines of a generated Swift file.
struct SwiftClientText {
    private(set) var lines: [String] = []
    private var depth = 0

    /// The text of the file.
    var text: String { lines.joined(separator: "\n") + "\n" }

    /// Appends a line, indented.
    mutating func line(_ text: String) {
        lines.append(text.isEmpty ? "" : String(repeating: "    ", count: depth) + text)
    }

    /// Appends an empty line unless the last one is empty or opens a block.
    mutating func gap() {
        guard let last = lines.last, !last.isEmpty, !last.hasSuffix("{") else { return }
        lines.append("")
    }

    /// The longest line that a list is written on.
    private static let width = 120

    /// Appends a list in parentheses, on one line or with one element a line.
    mutating func list(_ head: String, _ elements: [String], _ tail: String = "") {
        let whole = "\(head)(\(elements.joined(separator: ", ")))\(tail)"
        guard elements.count > 0, depth * 4 + whole.count > Self.width else { return line(whole) }
        line(head + "(")
        depth += 1
        for (index, element) in elements.enumerated() { line(element + (index < elements.count - 1 ? "," : "")) }
        depth -= 1
        line(")" + tail)
    }

    /// Appends a function with its parameters and its body.
    mutating func function(
        _ head: String,
        _ parameters: [String],
        _ tail: String = "",
        _ body: (inout SwiftClientText) -> Void
    ) {
        list(head, parameters, tail + " {")
        let count = lines.count
        depth += 1
        body(&self)
        depth -= 1
        if lines.count == count { lines[count - 1] += "}" } else { line("}") }
    }

    /// Appends a block in braces.
    mutating func block(_ head: String, _ body: (inout SwiftClientText) -> Void) {
        line(head + " {")
        let count = lines.count
        depth += 1
        body(&self)
        depth -= 1
        if lines.count == count {
            lines[count - 1] += "}"
        } else {
            line("}")
        }
    }

    /// Appends documentation comments: each part is a paragraph.
    mutating func doc(_ parts: String...) { doc(parts) }

    /// Appends documentation comments: each part is a paragraph.
    mutating func doc(_ parts: [String]) {
        var isFirst = true
        for part in parts where !part.allSatisfy(\.isWhitespace) {
            if !isFirst { line("///") }
            isFirst = false
            for row in GeneratedText.lines(part) { line(row.isEmpty ? "///" : "/// \(row)") }
        }
    }

    /// Returns a string literal.
    static func literal(_ text: String) -> String {
        // A mark that stands alone would combine with the quote.
        GeneratedText.literal(text) { scalar in
            GeneratedText.isHidden(scalar) || scalar.properties.generalCategory == .nonspacingMark
                ? "\\u{\(GeneratedText.hex(scalar.value))}" : nil
        }
    }
}

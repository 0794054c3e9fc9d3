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
    mutating func doc(_ parts: String...) {
        var isFirst = true
        for part in parts where !part.allSatisfy(\.isWhitespace) {
            if !isFirst { line("///") }
            isFirst = false
            for row in Self.rows(part) { line(row.isEmpty ? "///" : "/// \(row)") }
        }
    }

    /// Returns the lines of a description, without control characters.
    static func rows(_ description: String) -> [String] {
        let rows = description.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { row in
            var clean = String.UnicodeScalarView()
            for scalar in row.unicodeScalars where !isControl(scalar) { clean.append(scalar) }
            return String(String(clean).reversed().drop { $0 == " " }.reversed())
        }
        return Array(rows.drop(while: \.isEmpty).reversed().drop(while: \.isEmpty).reversed())
    }

    /// Returns the first line of a description, for a list.
    static func summary(_ description: String) -> String {
        rows(description).first ?? ""
    }

    /// Returns a string literal.
    static func literal(_ text: String) -> String {
        var literal = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": literal += "\\\\"
            case "\"": literal += "\\\""
            case "\n": literal += "\\n"
            case "\r": literal += "\\r"
            case "\t": literal += "\\t"
            default:
                if isControl(scalar) || scalar.properties.generalCategory == .nonspacingMark {
                    literal += "\\u{\(String(scalar.value, radix: 16))}"
                } else {
                    literal.unicodeScalars.append(scalar)
                }
            }
        }
        return literal + "\""
    }

    /// Whether a character could end a line, or change how a reader sees the code.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: true
        case .format: scalar.value != 0x200D
        default: false
        }
    }
}

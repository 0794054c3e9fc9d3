enum SwiftClientText {
    /// The longest line that a list is written on.
    private static let width = 120

    /// Returns documentation comments: each part is a paragraph.
    static func doc(_ parts: String...) -> String {
        var lines: [String] = []
        for (index, part) in parts.filter({ !$0.allSatisfy(\.isWhitespace) }).enumerated() {
            if index > 0 { lines.append("///") }
            lines += GeneratedText.lines(part).map { $0.isEmpty ? "///" : "/// \($0)" }
        }
        return lines.joined(separator: "\n")
    }

    /// Returns a list in parentheses, on one line or with one element a line, that stands in some blocks.
    static func list(_ head: String, _ elements: [String], _ tail: String = "", depth: Int) -> String {
        let whole = "\(head)(\(elements.joined(separator: ", ")))\(tail)"
        guard !elements.isEmpty, depth * 4 + whole.count > width else { return whole }
        return "\(head)(\n    \(elements.joined(separator: ",\n    "))\n)\(tail)"
    }

    /// Returns an array literal, on one line or with several elements a line.
    static func array(_ elements: [String]) -> String {
        var lines = [""]
        for element in elements {
            if lines[lines.count - 1].count + element.count > width - 24 { lines.append("") }
            lines[lines.count - 1] += "\(element), "
        }
        let rows = lines.map { $0.dropLast() }
        if lines.count == 1 { return "[\(rows[0].dropLast())]" }
        return "[\n        \(rows.joined(separator: "\n        "))\n    ]"
    }

    /// Returns the head of an initializer that sets each property.
    ///
    /// The names are Swift code. A property that can be nil may be left out, but not the first one if it is required.
    static func initializer(_ properties: [(name: String, type: String)], isFirstRequired: Bool = false) -> String {
        let parameters = properties.enumerated().map { index, property in
            let isOptional = property.type.hasSuffix("?") && !(isFirstRequired && index == 0)
            return "\(property.name): \(property.type)\(isOptional ? " = nil" : "")"
        }
        return list("public init", parameters, " {", depth: 1)
    }

    static func literal(_ text: String) -> String {
        // A mark that stands alone would combine with the quote.
        GeneratedText.literal(text) { scalar in
            GeneratedText.isHidden(scalar) || scalar.properties.generalCategory == .nonspacingMark
                ? "\\u{\(GeneratedText.hex(scalar.value))}" : nil
        }
    }
}

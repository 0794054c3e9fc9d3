/// Python source text: literals, docstrings, and statements that fit into 120 columns.
enum PythonText {
    static let width = 120

    static func literal(_ text: String) -> String {
        GeneratedText.literal(text) { scalar in
            guard GeneratedText.isHidden(scalar) || scalar.properties.generalCategory == .privateUse else { return nil }
            let value = scalar.value
            return value > 0xFFFF ? "\\U" + GeneratedText.hex(value, 8) : "\\u" + GeneratedText.hex(value, 4)
        }
    }

    /// Returns a docstring, or an empty text for an empty one.
    ///
    /// Its lines do not have the spaces of the indentation, nor have those of lists and calls.
    static func docstring(_ text: String, indent: Int) -> String {
        let lines = GeneratedText.lines(text).flatMap { wrapped($0, to: width - indent - 6) }.map(escaped)
        if lines.isEmpty { return "" }
        return "\"\"\"" + lines.joined(separator: "\n") + (lines.count > 1 ? "\n" : "") + "\"\"\""
    }

    /// Returns a bracketed list, on one line if it fits.
    ///
    /// `opening` has the opening bracket, and `closing` the closing one and the text after it.
    static func list(_ opening: String, _ items: [String], _ closing: String, indent: Int) -> String {
        let line = opening + items.joined(separator: ", ") + closing
        if indent + line.count <= width || items.isEmpty { return line }
        // A tuple of types with a comma after the last one is the same type.
        return "\(opening)\n\(items.map { "    \($0),\n" }.joined())\(closing)"
    }

    /// Returns a call, on one line if it fits.
    ///
    /// Each argument returns its lines for an indentation.
    static func call(
        _ opening: String,
        _ arguments: [(_ indent: Int) -> String],
        _ closing: String,
        indent: Int
    ) -> String {
        let line = list(opening, arguments.map { $0(indent) }, closing, indent: 0)
        if indent + line.count <= width, !line.contains("\n") { return line }
        let parts = arguments.map { "    \($0(indent + 4).replacing("\n", with: "\n    ")),\n" }
        return "\(opening)\n\(parts.joined())\(closing)"
    }

    // MARK: Parts

    /// Breaks a line at spaces; a continuation has the indentation of the line.
    private static func wrapped(_ line: String, to width: Int) -> [String] {
        guard line.count > width else { return [line] }
        let margin = String(line.prefix { $0 == " " })
        var lines: [String] = []
        var current = margin
        for word in line.dropFirst(margin.count).split(separator: " ") {
            if current.count > margin.count, current.count + word.count + 1 > width {
                lines.append(current)
                current = margin
            }
            current += (current.count > margin.count ? " " : "") + word
        }
        return lines + [current]
    }

    /// Escapes what could end a docstring: three quotes, not a quote with a text on both sides.
    private static func escaped(_ line: String) -> String {
        let scalars = Array(line.unicodeScalars)
        var result = ""
        for (index, scalar) in scalars.enumerated() {
            let isAlone =
                index + 1 < scalars.count && scalars[index + 1] != "\"" && (index == 0 || scalars[index - 1] != "\"")
            if scalar == "\\" || (scalar == "\"" && !isAlone) { result += "\\" }
            result.unicodeScalars.append(scalar)
        }
        return result
    }
}

extension PythonText {
    /// Returns the first line of a function, or several lines if it is long.
    static func signature(_ opening: String, _ parameters: [String], _ result: String, indent: Int) -> String {
        list("\(opening)(", parameters, ") -> \(result):", indent: indent)
    }
}

import ViewModelContract

/// Python source text: literals, docstrings, and statements that fit into 120 columns.
enum PythonText {
    static let width = 120

    /// Returns a string literal.
    static func literal(_ text: String) -> String {
        GeneratedText.literal(text) { scalar in
            guard GeneratedText.isHidden(scalar) || scalar.properties.generalCategory == .privateUse else { return nil }
            let value = scalar.value
            return value > 0xFFFF ? "\\U" + GeneratedText.hex(value, 8) : "\\u" + GeneratedText.hex(value, 4)
        }
    }

    /// Returns a docstring as lines, or none for an empty text.
    static func docstring(_ text: String, indent: Int) -> [String] {
        let margin = String(repeating: " ", count: indent)
        let lines = GeneratedText.lines(text).flatMap { wrapped($0, to: width - indent - 6) }.map(escaped)
        guard !lines.isEmpty else { return [] }
        guard lines.count > 1 else { return ["\(margin)\"\"\"\(lines[0])\"\"\""] }
        return ["\(margin)\"\"\"\(lines[0])"] + lines.dropFirst().map { $0.isEmpty ? "" : margin + $0 }
            + ["\(margin)\"\"\""]
    }

    /// Returns a bracketed list, on one line if it fits.
    ///
    /// - Parameters:
    ///   - opening: the text up to the opening bracket.
    ///   - items: the items.
    ///   - closing: the closing bracket and the text after it.
    ///   - indent: the number of spaces before it.
    /// - Returns: the lines.
    static func list(_ opening: String, _ items: [String], _ closing: String, indent: Int) -> [String] {
        let margin = String(repeating: " ", count: indent)
        let line = margin + opening + items.joined(separator: ", ") + closing
        if line.count <= width || items.isEmpty { return [line] }
        // A tuple of types with a comma after the last one is the same type.
        return [margin + opening] + items.map { "\(margin)    \($0)," } + [margin + closing]
    }

    /// Returns a call, on one line if it fits.
    ///
    /// - Parameters:
    ///   - opening: the text up to the opening bracket.
    ///   - arguments: the arguments. Each returns its lines for an indentation.
    ///   - closing: the closing bracket and the text after it.
    ///   - indent: the number of spaces before it.
    /// - Returns: the lines.
    static func call(
        _ opening: String,
        _ arguments: [(_ indent: Int) -> [String]],
        _ closing: String,
        indent: Int
    ) -> [String] {
        let margin = String(repeating: " ", count: indent)
        let short = arguments.map { $0(indent) }
        let line = margin + opening + short.map { $0[0].drop { $0 == " " } }.joined(separator: ", ") + closing
        if line.count <= width, short.allSatisfy({ $0.count == 1 }) { return [line] }
        let parts = arguments.map { $0(indent + 4) }.flatMap { $0.dropLast() + [($0.last ?? "") + ","] }
        return [margin + opening] + parts + [margin + closing]
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
    static func signature(_ opening: String, _ parameters: [String], _ result: String, indent: Int) -> [String] {
        list("\(opening)(", parameters, ") -> \(result):", indent: indent)
    }
}

/// The texts and names of a contract in generated code, as all languages have them.
enum GeneratedText {
    /// Returns the lines of a description, without invisible characters and without empty lines at both ends.
    static func lines(_ description: String) -> [String] {
        let lines = description.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { line in
            let visible = visible(line)
            return String(visible.reversed().drop(while: \.isWhitespace).reversed())
        }
        return Array(lines.drop(while: \.isEmpty).reversed().drop(while: \.isEmpty).reversed())
    }

    /// Returns a string literal in double quotes.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - escape: Returns the escape of a character; nil for a character that stands for itself.
    /// - Returns: The literal.
    static func literal(_ text: String, _ escape: (Unicode.Scalar) -> String?) -> String {
        var literal = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": literal += "\\\\"
            case "\"": literal += "\\\""
            case "\n": literal += "\\n"
            case "\r": literal += "\\r"
            case "\t": literal += "\\t"
            default:
                if let escape = escape(scalar) { literal += escape } else { literal.unicodeScalars.append(scalar) }
            }
        }
        return literal + "\""
    }

    /// Returns the hexadecimal digits of a number, with zeros before them up to a count.
    static func hex(_ value: some BinaryInteger, _ count: Int = 0) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }

    /// Whether a character could end a line, or change how a reader sees the code.
    static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: true
        default: InvisibleCharacters.contains(scalar)
        }
    }

    private static func visible(_ line: Substring) -> String {
        var text = String.UnicodeScalarView()
        for cluster in line {
            let isHidden = InvisibleCharacters.hidden(in: cluster)
            for scalar in cluster.unicodeScalars {
                let isUnknown = scalar.properties.generalCategory == .unassigned
                if scalar == "\t" || !(isHidden(scalar) || isUnknown) { text.append(scalar) }
            }
        }
        return String(text)
    }

    /// Returns the parts of a name that have ASCII letters and digits only.
    static func words(_ name: String) -> [String] {
        name.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }.map(String.init)
    }

    /// Returns words as one, each with a capital first letter.
    static func capitalized(_ words: [String]) -> String {
        words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
}

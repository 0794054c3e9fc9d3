import ViewModelContract

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

    /// Returns the first line of a description, for a comment or a list.
    static func line(_ description: String) -> String { lines(description).first ?? "" }

    /// Returns a string literal in double quotes.
    ///
    /// `escape` returns the escape of a character; nil for a character that stands for itself.
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

    /// Returns the parts of a name that consist of letters and digits, in whatever script.
    static func words(_ name: String) -> [String] {
        words(name, of: { $0 != "_" && isPart($0) }, beginningWith: { isStart($0) || isDigit($0) })
    }

    /// Returns the parts of a name that consist of some characters, of which a part begins with some.
    static func words(
        _ name: String,
        of isPart: (Unicode.Scalar) -> Bool,
        beginningWith mayBegin: (Unicode.Scalar) -> Bool
    ) -> [String] {
        var words: [String] = []
        var isOpen = false
        for scalar in name.unicodeScalars {
            guard isPart(scalar), isOpen || mayBegin(scalar) else {
                isOpen = false
                continue
            }
            if isOpen { words[words.count - 1].unicodeScalars.append(scalar) } else { words.append(String(scalar)) }
            isOpen = true
        }
        return words
    }

    /// Returns words as one, each with a capital first letter.
    static func capitalized(_ words: [String]) -> String {
        words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    /// Returns a name in which `_` and its number replace each character that an identifier may not have.
    static func spelled(_ name: String) -> String {
        name.unicodeScalars.map { isPart($0) ? String($0) : "_u\(hex($0.value))_" }.joined()
    }

    // MARK: Identifiers

    /// Whether an identifier may begin with a character: a letter, as Python and JavaScript have it.
    static func isStart(_ scalar: Unicode.Scalar) -> Bool { isPart(scalar) && scalar.properties.isXIDStart }

    /// Whether an identifier may have a character: a letter, a digit, `_`, or a mark that belongs to a letter.
    static func isPart(_ scalar: Unicode.Scalar) -> Bool {
        isOld(scalar) && scalar.properties.isXIDContinue && !scalar.properties.isDefaultIgnorableCodePoint
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .decimalNumber && isOld(scalar)
    }

    /// Whether the oldest supported Python and Node know a character.
    private static func isOld(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII || scalar.properties.age.map { $0.major <= 13 } == true
    }
}

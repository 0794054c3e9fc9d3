/// Pieces of JavaScript text.
enum JavaScriptText {
    /// Returns a string literal.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\0"..<" ", "\u{7F}"..<"\u{A0}", "\u{200E}"..."\u{200F}", "\u{2028}"..."\u{202E}",
                "\u{2066}"..."\u{2069}":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// Returns a member's name, in quotes unless it is an identifier.
    static func key(_ name: String) -> String {
        name.wholeMatch(of: /[A-Za-z_$][A-Za-z0-9_$]*/) == nil ? quoted(name) : name
    }

    /// Returns a member's name in an object literal, where `__proto__` has a meaning of its own.
    static func literalKey(_ name: String) -> String { name == "__proto__" ? "[\"__proto__\"]" : key(name) }

    /// Returns an object literal.
    static func object(_ members: [(String, String)]) -> String {
        members.isEmpty ? "{}" : "{ \(members.map { "\(literalKey($0.0)): \($0.1)" }.joined(separator: ", ")) }"
    }

    /// Returns a documentation comment, without the line end of its last line; nil if there is nothing to say.
    static func doc(_ text: String, indentation: String) -> String? {
        // Comments of an author cannot end the comment of the client, and controls of direction do not reorder it.
        let hidden: Set<Unicode.Scalar> = [
            "\u{200E}", "\u{200F}", "\u{202A}", "\u{202B}", "\u{202C}", "\u{202D}", "\u{202E}", "\u{2066}", "\u{2067}",
            "\u{2068}", "\u{2069}",
        ]
        var safe = ""
        safe.unicodeScalars.append(
            contentsOf: text.unicodeScalars.filter {
                !hidden.contains($0) && ($0 >= " " || $0 == "\n" || $0 == "\t" || $0 == "\r")
            }
        )
        let lines = safe.replacing("*/", with: "*\\/").split(
            omittingEmptySubsequences: false,
            whereSeparator: \.isNewline
        )
        .map { line in String(line.reversed().drop(while: \.isWhitespace).reversed()) }
        let trimmed = lines.drop(while: \.isEmpty).reversed().drop(while: \.isEmpty).reversed()
        guard let first = trimmed.first else { return nil }
        if trimmed.count == 1 { return "\(indentation)/** \(first) */" }
        let body = trimmed.map { "\(indentation) *\($0.isEmpty ? "" : " \($0)")\n" }.joined()
        return "\(indentation)/**\n\(body)\(indentation) */"
    }
}

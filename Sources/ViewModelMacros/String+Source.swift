import SwiftParser

extension String {
    /// The identifier without its backticks.
    var withoutBackticks: String {
        count > 2 && hasPrefix("`") && hasSuffix("`") ? String(dropFirst().dropLast()) : self
    }

    /// Whether the source text of a type is `Void`.
    var isVoidType: Bool { ["Void", "Swift.Void", "()"].contains(self) }

    /// The name as an identifier: in backticks if it is a keyword.
    var asIdentifier: String { isValidSwiftIdentifier(for: .variableName) ? self : "`\(self)`" }

    var asLiteral: String {
        var literal = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\\": literal += "\\\\"
            case "\"": literal += "\\\""
            case "\n": literal += "\\n"
            case "\r": literal += "\\r"
            case "\t": literal += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                literal += "\\u{\(String(scalar.value, radix: 16))}"
            default: literal.unicodeScalars.append(scalar)
            }
        }
        return literal + "\""
    }
}

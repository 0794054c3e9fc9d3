import SwiftParser

/// The rules for names on the wire, and the derivation of a type's name.
enum MacroWireName {
    /// The names that the protocol reserves for its own methods.
    static let reserved = ["rpc", "session", "viewModel"]

    /// Returns whether a name is valid for a ViewModel type: `[A-Za-z][A-Za-z0-9_-]{0,63}`.
    static func isType(_ name: String) -> Bool {
        name.wholeMatch(of: /[A-Za-z][A-Za-z0-9_\-]{0,63}/) != nil
    }

    /// Returns whether a name is valid for a member: `[a-z][A-Za-z0-9]*`.
    static func isMember(_ name: String) -> Bool {
        name.wholeMatch(of: /[a-z][A-Za-z0-9]*/) != nil
    }

    /// Returns the default name of a class: `mineHeader` for `MineHeader`, `urlBar` for `URLBar`.
    static func ofType(_ name: String) -> String {
        let capitals = name.prefix(while: \.isUppercase)
        let rest = name.dropFirst(capitals.count)
        // The last of several capitals begins the next word.
        let count = capitals.count > 1 && rest.first?.isLowercase == true ? capitals.count - 1 : capitals.count
        return name.prefix(count).lowercased() + name.dropFirst(count)
    }
}

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

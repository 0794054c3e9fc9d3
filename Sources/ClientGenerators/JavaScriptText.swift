import JSONRPC
import ViewModelContract

enum JavaScriptText {
    static func quoted(_ text: String) -> String { GeneratedText.literal(text, escape) }

    static func literal(_ value: JSONValue) -> String {
        // JSON leaves most invisible characters of a string as they are.
        value.stringValue.map(quoted) ?? value.description.unicodeScalars.map { escape($0) ?? String($0) }.joined()
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String? {
        guard GeneratedText.isHidden(scalar) else { return nil }
        return String(scalar).utf16.map { "\\u" + GeneratedText.hex($0, 4) }.joined()
    }

    /// Returns a member's name, in quotes unless it is an identifier.
    static func key(_ name: String) -> String {
        name.wholeMatch(of: /[A-Za-z_$][A-Za-z0-9_$]*/) == nil ? quoted(name) : name
    }

    /// Returns a member's name in an object literal, where `__proto__` has a meaning of its own.
    static func literalKey(_ name: String) -> String { name == "__proto__" ? "[\"__proto__\"]" : key(name) }

    static func object(_ members: [(String, String)]) -> String {
        members.isEmpty ? "{}" : "{ \(members.map { "\(literalKey($0.0)): \($0.1)" }.joined(separator: ", ")) }"
    }

    /// Returns a line that does not end a comment, also where a mark follows the slash and makes it another character.
    private static func withoutEnd(_ line: String) -> String {
        var safe = String.UnicodeScalarView()
        for scalar in line.unicodeScalars {
            if scalar == "/", safe.last == "*" { safe.append("\\") }
            safe.append(scalar)
        }
        return String(safe)
    }

    /// Returns a documentation comment, without the line end of its last line; empty if there is nothing to say.
    static func doc(_ text: String) -> String {
        let trimmed = GeneratedText.lines(text).map(withoutEnd)
        if trimmed.count < 2 { return trimmed.first.map { "/** \($0) */" } ?? "" }
        return "/**\n\(trimmed.map { " *\($0.isEmpty ? "" : " \($0)")\n" }.joined()) */"
    }
}

import JSONRPC

/// What a scenario expects of JSON, as text: JSON with placeholders.
///
/// - `_` is any value.
/// - `$name` is any value but null at first, and the same one after that.
/// - `...` at the end of an object stands for further members.
struct Pattern {
    private static let marker = "\u{1}"
    private static let more = "\u{1}more"
    let value: JSONValue
    let text: String

    /// Reads a pattern, or nil for other text.
    init?(_ text: String) {
        var json = ""
        var isInString = false
        var characters = Array(text)[...]
        while let character = characters.popFirst() {
            if isInString {
                json.append(character)
                if character == "\\", let next = characters.popFirst() { json.append(next) }
                if character == "\"" { isInString = false }
            } else if character == "\"" {
                isInString = true
                json.append(character)
            } else if character == "_" {
                json += #""\u0001""#
            } else if character == "$" {
                let name = characters.prefix { $0.isLetter || $0.isNumber }
                characters = characters.dropFirst(name.count)
                json += #""\u0001\#(String(name))""#
            } else if character == ".", characters.starts(with: "..") {
                characters = characters.dropFirst(2)
                json += #""\u0001more":0"#
            } else {
                json.append(character)
            }
        }
        guard let value = JSONValue(text: json) else { return nil }
        self.value = value
        self.text = text
    }

    /// Returns the value with its variables replaced.
    func filled(with variables: [String: JSONValue]) -> JSONValue { Self.filled(value, variables) }

    private static func filled(_ value: JSONValue, _ variables: [String: JSONValue]) -> JSONValue {
        switch value {
        case .string(let text) where text.hasPrefix(marker): variables[String(text.dropFirst())] ?? value
        case .array(let elements): .array(elements.map { filled($0, variables) })
        case .object(let members): .object(JSONObject(members.map { ($0.key, filled($0.value, variables)) }))
        default: value
        }
    }

    /// Returns the place and the reason of the first difference, or nil if a value matches.
    func difference(to found: JSONValue, _ variables: inout [String: JSONValue]) -> String? {
        Self.difference(value, found, "", &variables)
    }

    private static func difference(
        _ wanted: JSONValue,
        _ found: JSONValue,
        _ path: String,
        _ variables: inout [String: JSONValue]
    ) -> String? {
        switch (wanted, found) {
        case (.string(let text), _) where text.hasPrefix(marker):
            let name = String(text.dropFirst())
            if name.isEmpty { return nil }
            guard let known = variables[name] else {
                variables[name] = found
                return found == .null ? "\(path) is null" : nil
            }
            return known == found ? nil : "\(path): \(found) is not the value of $\(name), \(known)"
        case (.array(let wanted), .array(let found)) where wanted.count == found.count:
            for (index, pair) in zip(wanted, found).enumerated() {
                if let reason = difference(pair.0, pair.1, "\(path)/\(index)", &variables) { return reason }
            }
            return nil
        case (.object(let wanted), .object(let found)):
            for (name, value) in wanted where name != more {
                guard let other = found[name] else { return "\(path)/\(name) is missing in \(JSONValue.object(found))" }
                if let reason = difference(value, other, "\(path)/\(name)", &variables) { return reason }
            }
            let extra = found.first { wanted[$0.key] == nil }
            return extra == nil || wanted[more] != nil ? nil : "\(path)/\(extra?.key ?? "") was not expected"
        default:
            return wanted == found ? nil : "\(path): \(found) instead of \(wanted)"
        }
    }
}

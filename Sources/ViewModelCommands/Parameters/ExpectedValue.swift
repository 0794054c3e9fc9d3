import ArgumentParser
import ViewModelClient

/// A value that an output is waited for to have: `OUTPUT=VALUE`.
struct ExpectedValue: Equatable, Sendable, CustomStringConvertible {
    var output: String
    var text: String

    /// Reads `OUTPUT=VALUE`.
    init(parsing argument: String) throws {
        guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex else {
            throw ValidationError("\"\(argument)\" is no OUTPUT=VALUE, as in undo.enabled=true")
        }
        output = String(argument[..<equals])
        text = String(argument[argument.index(after: equals)...])
    }

    var description: String { "\(output)=\(text)" }

    /// Whether a value is the one: equal as JSON, or a string that is the text.
    func matches(_ value: JSONValue) -> Bool {
        if case .string(let string) = value, string == text { return true }
        return JSONValue(text: text) == value
    }
}

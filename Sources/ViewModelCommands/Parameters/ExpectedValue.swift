import ArgumentParser
import ViewModelClient

/// The value for which `viewmodelctl wait` waits: `OUTPUT=VALUE`.
struct ExpectedValue: Equatable, Sendable, CustomStringConvertible {
    var output: String
    var text: String

    /// Parses `OUTPUT=VALUE`.
    init(parsing argument: String) throws {
        guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex else {
            throw ValidationError("\"\(argument)\" is no OUTPUT=VALUE, as in undo.enabled=true")
        }
        output = String(argument[..<equals])
        text = String(argument[argument.index(after: equals)...])
    }

    var description: String { "\(output)=\(text)" }

    /// Returns whether a value equals the expected one as JSON, or is a string with the expected text.
    func matches(_ value: JSONValue) -> Bool {
        if case .string(let string) = value, string == text { return true }
        return JSONValue(text: text) == value
    }
}

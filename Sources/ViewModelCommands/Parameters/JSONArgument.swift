import ArgumentParser
import ViewModelClient

/// Params as JSON text on the command line: an object or an array, which is sent unchanged except for line feeds.
struct JSONArgument: Equatable, Sendable {
    /// The text, without line feeds.
    var bytes: [UInt8]

    init(parsing text: String) throws {
        switch JSONValue(text: text) {
        case .object, .array:
            // In valid JSON a line feed can only be white space between two tokens.
            bytes = text.utf8.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }
        case nil: throw ValidationError("The params are no JSON: \(text)")
        default: throw ValidationError("The params must be a JSON object or array: \(text)")
        }
    }
}

import ArgumentParser
import ViewModelClient

/// Params given as JSON text on the command line: an object or an array, sent as it stands but on one line.
struct JSONArgument: Equatable, Sendable {
    /// The text, without line feeds.
    var bytes: [UInt8]

    init(parsing text: String) throws {
        switch JSONValue(text: text) {
        case .object, .array:
            // Between two tokens a line feed is white space, and inside a string JSON knows none.
            bytes = text.utf8.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }
        case nil: throw ValidationError("The params are no JSON: \(text)")
        default: throw ValidationError("The params must be a JSON object or array: \(text)")
        }
    }
}

import FoundationEssentials
import JSONRPC
import Logging
import UnixIO

/// An event of the log.
///
/// It is complete and its texts are bounded, so another thread can write it later.
struct LogRecord: Sendable {
    /// The maximum number of bytes of a text.
    ///
    /// Clients choose names, and errors quote files, so texts may be long.
    static let longestText = 2048

    let time: Date
    let level: Logger.Level
    let message: String
    /// The metadata in the order of the names.
    let fields: [(name: String, value: JSONValue)]

    init(time: Date = Date(), level: Logger.Level, message: String, metadata: Logger.Metadata) {
        self.time = time
        self.level = level
        self.message = Self.shortened(message)
        fields = Self.fields(metadata)
    }

    private static func fields(_ metadata: Logger.Metadata) -> [(name: String, value: JSONValue)] {
        metadata.sorted { $0.key < $1.key }.map { ($0.key, json($0.value)) }
    }

    private static func json(_ value: Logger.MetadataValue) -> JSONValue {
        switch value {
        case .string(let text): .string(shortened(text))
        case .stringConvertible(let value): .string(shortened("\(value)"))
        case .dictionary(let members): .object(JSONObject(fields(members).map { ($0.name, $0.value) }))
        case .array(let items): .array(items.map(json))
        }
    }

    /// Returns a text for people of at most ``longestText`` bytes.
    private static func shortened(_ text: String) -> String {
        let text = text.shown
        guard text.utf8.count > longestText else { return text }
        return String(decoding: text.utf8.prefix(longestText), as: UTF8.self) + "…"
    }
}

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import Logging

/// One event of the log, complete and of bounded size, so that it can be written later and elsewhere.
struct LogRecord: Sendable {
    /// The most bytes of a text that are kept: clients choose their names, and errors quote files.
    static let longestText = 2048

    let time: Date
    let level: Logger.Level
    let message: String
    /// The facts, in the order of their names; their texts are final.
    let fields: [(name: String, value: Logger.MetadataValue)]

    /// Takes an event with the metadata of its logger.
    init(time: Date = Date(), level: Logger.Level, message: String, metadata: Logger.Metadata) {
        self.time = time
        self.level = level
        self.message = Self.shortened(message)
        fields = metadata.sorted { $0.key < $1.key }.map { ($0.key, Self.final($0.value)) }
    }

    private static func final(_ value: Logger.MetadataValue) -> Logger.MetadataValue {
        switch value {
        case .string(let text): .string(shortened(text))
        case .stringConvertible(let value): .string(shortened("\(value)"))
        case .dictionary(let members): .dictionary(members.mapValues(final))
        case .array(let items): .array(items.map(final))
        }
    }

    private static func shortened(_ text: String) -> String {
        guard text.utf8.count > longestText else { return text }
        return String(decoding: text.utf8.prefix(longestText), as: UTF8.self) + "…"
    }
}

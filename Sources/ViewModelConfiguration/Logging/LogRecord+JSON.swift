import FoundationEssentials
import JSONRPC
import Logging

extension LogRecord {
    /// A line with a JSON object: `time` (RFC 3339, UTC), `level`, `message` and `metadata`.
    var jsonLine: [UInt8] {
        var writer = JSONWriter(reserving: 256)
        writer.raw("{\"time\":")
        writer.string(timeText)
        writer.raw(",\"level\":")
        writer.string(level.rawValue)
        writer.raw(",\"message\":")
        writer.string(message)
        writer.raw(",\"metadata\":")
        Self.append(fields.lazy.map { ($0.name, $0.value) }, to: &writer)
        writer.raw("}\n")
        return writer.bytes
    }

    /// The time in the format of RFC 3339, in UTC, with fractions of a second.
    var timeText: String { time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)) }

    /// Returns a string unchanged and any other value as JSON.
    static func text(_ value: Logger.MetadataValue) -> String {
        if case .string(let text) = value { return text }
        var writer = JSONWriter()
        append(value, to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private static func append(
        _ members: some Sequence<(String, Logger.MetadataValue)>,
        to writer: inout JSONWriter
    ) {
        writer.raw("{")
        for (index, (name, value)) in members.enumerated() {
            if index > 0 { writer.raw(",") }
            writer.string(name)
            writer.raw(":")
            append(value, to: &writer)
        }
        writer.raw("}")
    }

    private static func append(_ value: Logger.MetadataValue, to writer: inout JSONWriter) {
        switch value {
        case .string(let text):
            writer.string(text)
        case .stringConvertible(let value):
            writer.string("\(value)")
        case .dictionary(let members):
            append(members.sorted { $0.key < $1.key }.lazy.map { ($0.key, $0.value) }, to: &writer)
        case .array(let values):
            writer.raw("[")
            for (index, value) in values.enumerated() {
                if index > 0 { writer.raw(",") }
                append(value, to: &writer)
            }
            writer.raw("]")
        }
    }
}

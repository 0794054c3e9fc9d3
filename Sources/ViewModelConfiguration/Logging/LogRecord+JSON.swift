import FoundationEssentials
import JSONRPC
import Logging

extension LogRecord {
    /// A line with a JSON object: `time` (RFC 3339, UTC), `level`, `message` and `metadata`.
    var jsonLine: [UInt8] {
        let record: JSONObject = [
            "time": .string(timeText), "level": .string(level.rawValue), "message": .string(message),
            "metadata": .object(JSONObject(fields.map { ($0.name, $0.value) })),
        ]
        return Array("\(JSONValue.object(record))\n".utf8)
    }

    /// The time in the format of RFC 3339, in UTC, with fractions of a second.
    var timeText: String { time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)) }

    /// Returns a string unchanged and any other value as JSON.
    static func text(_ value: JSONValue) -> String { value.stringValue ?? value.description }
}

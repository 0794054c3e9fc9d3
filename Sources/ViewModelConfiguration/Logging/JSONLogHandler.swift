#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import JSONRPC
import Logging

/// Writes each event as a JSON object on a line: `time` (RFC 3339, UTC), `level`, `message` and `metadata`.
struct JSONLogHandler: LogHandler {
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    private let write: @Sendable ([UInt8]) -> Void

    /// Makes a handler whose lines, each with its line end, go to `write`.
    init(write: @escaping @Sendable ([UInt8]) -> Void) {
        self.write = write
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var all = metadata
        if let provided = metadataProvider?.get() { all.merge(provided) { $1 } }
        if let own = event.metadata { all.merge(own) { $1 } }
        if let error = event.error { all["error"] = "\(error)" }
        var writer = JSONWriter(reserving: 256)
        writer.raw("{\"time\":")
        writer.string(Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
        writer.raw(",\"level\":")
        writer.string(event.level.rawValue)
        writer.raw(",\"message\":")
        writer.string("\(event.message)")
        writer.raw(",\"metadata\":")
        Self.append(all, to: &writer)
        writer.raw("}\n")
        write(writer.bytes)
    }

    private static func append(_ metadata: Logger.Metadata, to writer: inout JSONWriter) {
        writer.raw("{")
        for (index, (key, value)) in metadata.sorted(by: { $0.key < $1.key }).enumerated() {
            if index > 0 { writer.raw(",") }
            writer.string(key)
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
        case .dictionary(let metadata):
            append(metadata, to: &writer)
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

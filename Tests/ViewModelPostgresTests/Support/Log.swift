import Logging
import Synchronization

/// Texts in the order in which they were added.
final class Log: Sendable {
    private let lines = Mutex<[String]>([])

    var texts: [String] { lines.withLock { $0 } }

    func append(_ text: String) { lines.withLock { $0.append(text) } }

    /// A logger whose lines above the level `info` are added, each as its level, its message and its metadata.
    var logger: Logger { Logger(label: "test") { _ in Lines(log: self) } }

    /// The lines with a message that contains a text.
    func lines(with text: String) -> [String] { texts.filter { $0.contains(text) } }

    /// Waits for a line with a text.
    func line(with text: String) async -> String {
        while true {
            if let line = lines(with: text).first { return line }
            await Task.yield()
        }
    }
}

private struct Lines: LogHandler {
    let log: Log
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.notice

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        log.append("\(event.level) \(event.message) \(event.metadata ?? [:])")
    }
}

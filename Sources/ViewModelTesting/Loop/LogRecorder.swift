import InMemoryLogging
package import Logging

/// The log of a host, from a level on.
package struct LogRecorder: Sendable {
    /// One log entry.
    package struct Entry: Equatable, Sendable {
        package let level: Logger.Level
        package let message: String
        package let metadata: [String: String]

        var error: String { "\(metadata["error"] ?? message) (\(message))" }
    }

    private let handler: InMemoryLogHandler

    package init(from level: Logger.Level) {
        var handler = InMemoryLogHandler()
        handler.logLevel = level
        self.handler = handler
    }

    package var logger: Logger { Logger(label: "ViewModelTesting") { _ in handler } }

    /// The log entries, the oldest first.
    package var entries: [Entry] {
        handler.entries.map { entry in
            Entry(level: entry.level, message: "\(entry.message)", metadata: entry.metadata.mapValues { "\($0)" })
        }
    }

    /// The errors of the log entries, the oldest first.
    var errors: [String] { entries.filter { $0.level >= .error }.map(\.error) }
}

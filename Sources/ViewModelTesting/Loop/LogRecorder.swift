package import Logging
import Synchronization

/// A log handler that keeps the host's log entries from a level on.
package final class LogRecorder: LogHandler, Sendable {
    /// One log entry.
    package struct Entry: Equatable, Sendable {
        package let level: Logger.Level
        package let message: String
        package let facts: [String: String]

        package init(level: Logger.Level, message: String, facts: [String: String]) {
            self.level = level
            self.message = message
            self.facts = facts
        }
    }

    private let kept = Mutex<[Entry]>([])
    private let level: Logger.Level

    package init(from level: Logger.Level) {
        self.level = level
    }

    /// The log entries, the oldest first.
    package var entries: [Entry] { kept.withLock { $0 } }

    /// The errors of the log entries, the oldest first.
    var errors: [String] { entries.map(\.error) }

    /// Returns the error of an incident.
    func error(of incident: String) -> String? {
        entries.first { $0.facts["incident"] == incident }?.error
    }

    package var logger: Logger { Logger(label: "ViewModelTesting") { _ in self } }

    package var logLevel: Logger.Level {
        get { level }
        set {}
    }

    package var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }

    package subscript(metadataKey _: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    package func log(event: LogEvent) {
        let facts = (event.metadata ?? [:]).mapValues { "\($0)" }
        kept.withLock { $0.append(Entry(level: event.level, message: "\(event.message)", facts: facts)) }
    }
}

extension LogRecorder.Entry {
    fileprivate var error: String { "\(facts["error"] ?? message) (\(message))" }
}

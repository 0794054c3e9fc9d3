import Dispatch
package import Logging

/// The daemon's log: its output, its format and its level.
package final class DaemonLog: Sendable {
    /// The logger of this log.
    ///
    /// Copies follow the log's level unless they set their own.
    package let logger: Logger
    private let queue: LogQueue
    private let level: LogLevelSwitch
    private let stream: JournalStream?
    private let name: String

    /// Creates the log on standard error.
    ///
    /// - Parameters:
    ///   - name: the daemon's name, which identifies the records in the journal.
    ///   - configuration: the level and the format.
    ///   - environment: the source of `JOURNAL_STREAM`, in which a service manager identifies standard error.
    package init(of name: String, _ configuration: DaemonConfiguration.Log, environment: [String: String]) {
        let stream = JournalStream(variable: environment["JOURNAL_STREAM"])
        let level = LogLevelSwitch(configuration.level)
        let queue = LogQueue(configuration.format.output(stream, of: name))
        logger = Logger(label: name) { _ in QueuedLogHandler(queue: queue, level: level) }
        self.name = name
        self.stream = stream
        self.level = level
        self.queue = queue
    }

    /// Applies new settings.
    ///
    /// The level changes at once for all loggers, the format for the records logged from now on.
    package func apply(_ configuration: DaemonConfiguration.Log) {
        level.level = configuration.level
        queue.setOutput(configuration.format.output(stream, of: name))
    }

    /// Waits until the queued records are written, for two seconds at most.
    ///
    /// Call it at the end of the process.
    package func flush() {
        queue.flush(atMost: .seconds(2))
    }
}

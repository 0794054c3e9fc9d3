import Dispatch
package import Logging

/// The daemon's log: what it is written to, how, and from which level on.
package final class DaemonLog: Sendable {
    /// Writes to this log; copies obey its level, too.
    package let logger: Logger
    private let queue: LogQueue
    private let level: LogLevelSwitch
    private let stream: JournalStream?

    /// Makes the log on the standard error.
    ///
    /// - Parameter environment: asked for `JOURNAL_STREAM`, by which a service manager says what the standard error is.
    package init(_ configuration: DaemonConfiguration.Log, environment: [String: String]) {
        let stream = JournalStream(variable: environment["JOURNAL_STREAM"])
        let level = LogLevelSwitch(configuration.level)
        let queue = LogQueue(configuration.format.output(stream))
        logger = Logger(label: "viewmodeld") { _ in QueuedLogHandler(queue: queue, level: level) }
        self.stream = stream
        self.level = level
        self.queue = queue
    }

    /// Obeys other settings from now on; every logger in use does at once.
    package func apply(_ configuration: DaemonConfiguration.Log) {
        level.level = configuration.level
        queue.setOutput(configuration.format.output(stream))
    }

    /// Waits until what was logged is written, two seconds at most: for the end of the process.
    package func flush() {
        queue.flush(atMost: .seconds(2))
    }
}

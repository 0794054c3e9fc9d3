import CUnixIO
import Dispatch
package import Logging

/// The daemon's log: its output, its format and its level.
///
/// If a trap ends the process, a line in the format of the log says what ran.
package final class DaemonLog: Sendable {
    /// The logger of this log.
    ///
    /// Copies follow the log's level unless they set their own.
    package let logger: Logger
    private let queue: LogQueue
    private let stream: JournalStream?
    private let name: String

    /// Creates the log on standard error; the name identifies the records in the journal.
    package init(of name: String, _ configuration: DaemonConfiguration.Log) {
        let stream = JournalStream.ofProcess
        let queue = LogQueue(configuration.format.output(stream, of: name), level: configuration.level)
        logger = Logger(label: name) { _ in QueuedLogHandler(queue: queue) }
        self.name = name
        self.stream = stream
        self.queue = queue
        trap_report_install(configuration.format.trapForm(stream))
    }

    /// Applies new settings.
    ///
    /// The level changes at once for all loggers, the format for the records logged from now on.
    package func apply(_ configuration: DaemonConfiguration.Log) {
        queue.level = configuration.level
        trap_report_install(configuration.format.trapForm(stream))
        queue.setOutput(configuration.format.output(stream, of: name))
    }

    /// Waits until the queued records are written, for two seconds at most.
    ///
    /// Call it at the end of the process.
    package func flush() {
        queue.flush(atMost: .seconds(2))
    }
}

extension LogFormat {
    /// Returns the form of the line that a signal handler writes.
    fileprivate func trapForm(_ stream: JournalStream?) -> Int32 {
        switch (self, stream) {
        case (.json, _): Int32(TRAP_REPORT_JSON)
        case (.text, _), (.auto, nil): Int32(TRAP_REPORT_TEXT)
        case (.auto, _): Int32(TRAP_REPORT_PRIORITY)
        }
    }

    /// Returns the output for this format on the process's standard error, for the daemon of a name.
    func output(_ stream: JournalStream?, of name: String) -> LogOutput {
        let line: @Sendable (LogRecord) -> [UInt8]
        switch (self, stream) {
        case (.json, _): line = { $0.jsonLine }
        case (.text, _), (.auto, nil): line = { $0.textLine }
        case (.auto, .journald): return JournalOutput(identifier: name).write
        case (.auto, .other): line = { $0.priorityLine }
        }
        return { StandardError.write(line($0), mayBlock: $1) }
    }
}

package import Logging
import Synchronization

/// A log handler that adds events to a queue.
///
/// The caller never waits for the output.
struct QueuedLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    private let queue: LogQueue
    private let level: LogLevelSwitch
    /// The level of this logger and its copies, which overrides the switch.
    private var ownLevel: Logger.Level?

    /// Creates a handler that follows the switch until its `logLevel` is set.
    init(queue: LogQueue, level: LogLevelSwitch) {
        self.queue = queue
        self.level = level
    }

    var logLevel: Logger.Level {
        get { ownLevel ?? level.level }
        set { ownLevel = newValue }
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
        queue.add(LogRecord(level: event.level, message: "\(event.message)", metadata: all))
    }
}

/// The level of all loggers of a log, changeable while they are in use.
///
/// A logger whose own `logLevel` was set ignores the switch. A read of the level is one relaxed load.
package final class LogLevelSwitch: Sendable {
    private static let levels = Logger.Level.allCases
    private let index: Atomic<Int>

    /// Creates a switch with a level.
    package init(_ level: Logger.Level) {
        index = Atomic(Self.index(of: level))
    }

    /// The least severe level that is logged.
    package var level: Logger.Level {
        get { Self.levels[index.load(ordering: .relaxed)] }
        set { index.store(Self.index(of: newValue), ordering: .relaxed) }
    }

    private static func index(of level: Logger.Level) -> Int {
        levels.firstIndex(of: level) ?? 0
    }
}

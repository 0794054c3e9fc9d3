import Logging

/// Hands events over to a queue; the caller never waits for whoever reads the log.
struct QueuedLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    private let queue: LogQueue
    private let level: LogLevelSwitch
    /// The level of this logger and its copies alone.
    private var ownLevel: Logger.Level?

    /// Makes a handler whose level is the switch's until it gets one of its own.
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

import Logging

/// A log handler that adds events to a queue.
///
/// The caller never waits for the output. The handler follows the queue's level until its `logLevel` is set.
struct QueuedLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    private let queue: LogQueue
    /// The level of this logger and its copies.
    private var ownLevel: Logger.Level?

    init(queue: LogQueue) {
        self.queue = queue
    }

    var logLevel: Logger.Level {
        get { ownLevel ?? queue.level }
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

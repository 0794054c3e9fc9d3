import Dispatch
import Glibc
package import Logging
import Synchronization

/// A watch for changes of files, by writes and replacements of the files, their directories and the links to them.
///
/// Neither the files nor their directories need exist. The kernel reports changes (inotify(7)), so that the process
/// wakes up for nothing else. The files are compared every two seconds while the kernel has no watch left.
package enum FileWatch {
    /// The time between two comparisons while the kernel reports no changes.
    private static let interval = DispatchTimeInterval.seconds(2)
    /// The time for which a file that was removed or created has to stay as it is.
    ///
    /// A writer may not have finished.
    private static let settling = DispatchTimeInterval.seconds(1)

    /// Runs `body` after each change until the task is cancelled.
    ///
    /// Changes during a run of `body` cause one more run.
    ///
    /// - Parameters:
    ///   - paths: returns the paths of the files now. Of a directory, each change of an entry causes a look at them.
    ///   - stamps: the stamps of these files as they were last read.
    ///   - logger: logs when the files cannot be watched.
    ///   - makeInstance: returns the descriptor of an instance of inotify, or a negative number.
    ///   - body: reads the files. It returns the stamps from before that, or nil if it has not read them.
    package static func follow(
        _ paths: @escaping @Sendable () -> [String],
        since stamps: FileStamps,
        logger: Logger,
        makeInstance: @escaping @Sendable () -> Int32 = { inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK)) },
        _ body: () async -> FileStamps?
    ) async {
        let news = News()
        let queue = DispatchQueue(label: "viewmodeld.files")
        let (wakeups, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        var watched: WatchedPaths?
        var source: (any DispatchSourceRead)?
        // Closes the descriptor once no event is read from it any more.
        defer { source?.cancel() }
        // The stamps that were reported last; and other ones, which are reported when they have not changed after the
        // settling time.
        var (reported, pending): (FileStamps, FileStamps?) = (stamps, nil)
        var isPolling = false
        var hasTimer = false
        var mustCompare = true
        continuation.yield()
        for await _ in wakeups {
            let (events, isTimer) = news.take()
            if isTimer { hasTimer = false }
            let change = watched?.change(by: events) ?? .none
            guard mustCompare || isTimer || change != .none else { continue }
            mustCompare = false
            let paths = paths()
            if watched == nil, case let descriptor = makeInstance(), descriptor >= 0 {
                watched = WatchedPaths(descriptor: descriptor)
                source = makeSource(descriptor, queue) { events in
                    news.state.withLock { $0.events += events }
                    continuation.yield()
                }
            }
            watched?.watch(paths)
            if case let isComplete = watched?.isComplete == true, isComplete == isPolling {
                isPolling = !isComplete
                log(isPolling: isPolling, paths.first, logger)
            }
            // Read after the watch began, so that each later change is an event.
            let stamps = FileStamps(of: paths)
            let isSettled = isTimer && stamps == pending
            pending = stamps == reported ? nil : stamps
            if change == .written || isSettled {
                (reported, pending) = (stamps, nil)
                if let read = await body() {
                    reported = read
                    mustCompare = true
                    continuation.yield()
                }
            }
            guard pending != nil || isPolling, !hasTimer else { continue }
            hasTimer = true
            queue.asyncAfter(deadline: .now() + (isPolling ? interval : settling)) {
                news.state.withLock { $0.isTimer = true }
                continuation.yield()
            }
        }
    }

    /// The events of the kernel and of the timer that were not looked at yet.
    private final class News: Sendable {
        let state = Mutex((events: [WatchedPaths.Event](), isTimer: false))

        func take() -> (events: [WatchedPaths.Event], isTimer: Bool) {
            state.withLock { state in
                defer { state = ([], false) }
                return state
            }
        }
    }

    private static func makeSource(
        _ descriptor: Int32,
        _ queue: DispatchQueue,
        _ handle: @escaping @Sendable ([WatchedPaths.Event]) -> Void
    ) -> any DispatchSourceRead {
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler { handle(WatchedPaths.events(from: descriptor)) }
        source.setCancelHandler { close(descriptor) }
        source.activate()
        return source
    }

    private static func log(isPolling: Bool, _ path: String?, _ logger: Logger) {
        let metadata: Logger.Metadata = ["file": "\(path ?? "")"]
        if isPolling {
            logger.warning(
                "The kernel does not report changes of a file (inotify(7)). It is compared every 2 seconds",
                metadata: metadata
            )
        } else {
            logger.notice("The kernel reports changes of a file again", metadata: metadata)
        }
    }
}

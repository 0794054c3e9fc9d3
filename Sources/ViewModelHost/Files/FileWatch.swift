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
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let follower = Follower(paths, stamps, logger, makeInstance) { continuation.yield() }
        follower.start()
        defer { follower.end() }
        for await _ in changes {
            if let stamps = await body() { follower.adopt(stamps) }
        }
    }

    /// The state of one ``follow(_:since:logger:makeInstance:_:)``, which changes on its queue only.
    private final class Follower: Sendable {
        private struct State {
            var watched: WatchedPaths?
            var source: (any DispatchSourceRead)?
            /// The stamps that were reported last.
            var reported: FileStamps
            /// Other stamps, which are reported when they have not changed after the settling time.
            var pending: FileStamps?
            var hasTimer = false
            var isPolling = false
            var hasEnded = false
        }

        private let state: Mutex<State>
        private let queue = DispatchQueue(label: "viewmodeld.files")
        private let paths: @Sendable () -> [String]
        private let logger: Logger
        private let makeInstance: @Sendable () -> Int32
        private let report: @Sendable () -> Void

        init(
            _ paths: @escaping @Sendable () -> [String],
            _ stamps: FileStamps,
            _ logger: Logger,
            _ makeInstance: @escaping @Sendable () -> Int32,
            report: @escaping @Sendable () -> Void
        ) {
            state = Mutex(State(reported: stamps))
            self.paths = paths
            self.logger = logger
            self.makeInstance = makeInstance
            self.report = report
        }

        func start() {
            queue.async { self.state.withLock { self.update(&$0, isTimer: false) } }
        }

        /// Compares with other stamps from now on.
        func adopt(_ stamps: FileStamps) {
            queue.async {
                self.state.withLock { state in
                    state.reported = stamps
                    self.update(&state, isTimer: false)
                }
            }
        }

        /// Ends the watch.
        ///
        /// Closes the descriptor once no event is read from it any more.
        func end() {
            state.withLock { state in
                state.hasEnded = true
                state.source?.cancel()
                state.source = nil
            }
        }

        private func readEvents() {
            state.withLock { state in
                guard !state.hasEnded, let change = state.watched?.readEvents(), change != .none else { return }
                update(&state, isTimer: false, isWritten: change == .written)
            }
        }

        /// Watches what is on the way to the files now, and reports a change of them.
        private func update(_ state: inout State, isTimer: Bool, isWritten: Bool = false) {
            guard !state.hasEnded else { return }
            let paths = paths()
            watch(paths, &state)
            // Read after the watch began, so that each later change is an event.
            let stamps = FileStamps(of: paths)
            let isSettled = isTimer && stamps == state.pending
            state.pending = stamps == state.reported ? nil : stamps
            if isWritten || isSettled {
                state.reported = stamps
                state.pending = nil
                report()
            }
            guard state.pending != nil || state.isPolling, !state.hasTimer else { return }
            state.hasTimer = true
            queue.asyncAfter(deadline: .now() + (state.isPolling ? interval : settling)) { [weak self] in
                guard let self else { return }
                self.state.withLock { state in
                    state.hasTimer = false
                    self.update(&state, isTimer: true)
                }
            }
        }

        private func watch(_ paths: [String], _ state: inout State) {
            if state.watched == nil { makeSource(&state) }
            state.watched?.watch(paths)
            let isPolling = state.watched?.isComplete != true
            guard isPolling != state.isPolling else { return }
            state.isPolling = isPolling
            let metadata: Logger.Metadata = ["file": "\(paths.first ?? "")"]
            if isPolling {
                logger.warning(
                    "The kernel does not report changes of a file (inotify(7)). It is compared every 2 seconds",
                    metadata: metadata
                )
            } else {
                logger.notice("The kernel reports changes of a file again", metadata: metadata)
            }
        }

        private func makeSource(_ state: inout State) {
            let descriptor = makeInstance()
            guard descriptor >= 0 else { return }
            let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
            source.setEventHandler { [weak self] in self?.readEvents() }
            source.setCancelHandler { close(descriptor) }
            source.activate()
            state.watched = WatchedPaths(descriptor: descriptor)
            state.source = source
        }
    }
}

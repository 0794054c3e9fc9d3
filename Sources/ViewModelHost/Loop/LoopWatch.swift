import CUnixIO
package import Logging
import Synchronization
import ViewModelKit

/// Logs each loop that the code of a ViewModel blocks for more than a second.
///
/// It looks at the loops twice a second while they run such code. An idle process does not wake up for it.
package final class LoopWatch: Sendable {
    /// A loop as the watch has last seen it.
    ///
    /// `@unchecked Sendable`.
    ///
    /// Proof: the C functions that get the pointer from other threads use atomic operations and a
    /// lock, and the memory is never freed.
    fileprivate struct Loop: @unchecked Sendable {
        let activity: UnsafeMutablePointer<thread_activity>
        var entries: UInt = 0
        var since = ContinuousClock.now
        /// The names in the log while the loop is blocked, or nil.
        var blocked: Logger.Metadata?
    }

    /// The time between two looks.
    private static let interval = Duration.milliseconds(500)
    /// The time from which a loop counts as blocked.
    fileprivate static let limit = Duration.seconds(1)

    private let loops = Mutex<[Loop]>([])
    private let wakeups = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    package init() {}

    deinit {
        let watch = Unmanaged.passUnretained(self).toOpaque()
        for loop in loops.withLock({ $0 }) { thread_activity_unregister(loop.activity, watch) }
    }

    /// Watches the calling thread, a loop that retains the watch.
    package func addThread() {
        let watch = Unmanaged.passUnretained(self).toOpaque()
        let activity = thread_activity_register(
            { Unmanaged<LoopWatch>.fromOpaque($0).takeUnretainedValue().wakeups.continuation.yield() },
            watch
        )
        let loop = Loop(activity: activity)
        loops.withLock { $0.append(loop) }
    }

    /// Watches the loops until the task is cancelled.
    package func run(_ logger: Logger) async {
        for await _ in wakeups.stream {
            repeat {
                guard (try? await Task.sleep(for: Self.interval)) != nil else { return }
            } while look(logger)
        }
    }

    /// Logs what has changed since the last look, and returns whether another look is needed.
    private func look(_ logger: Logger) -> Bool {
        let copy = UnsafeMutablePointer<activity_copy>.allocate(capacity: 1)
        defer { copy.deallocate() }
        return loops.withLock { loops in
            var isActive = false
            for index in loops.indices {
                if loops[index].look(copy, logger) { isActive = true }
            }
            return isActive
        }
    }
}

extension LoopWatch.Loop {
    fileprivate mutating func look(_ copy: UnsafeMutablePointer<activity_copy>, _ logger: Logger) -> Bool {
        thread_activity_copy(activity, entries, copy)
        let (now, isSame) = (ContinuousClock.now, copy.pointee.entries == entries)
        if !isSame || copy.pointee.is_busy == 0, let names = blocked.take() {
            logger.notice("The loop goes on", metadata: names.merging(duration(until: now)) { $1 })
        }
        guard isSame else {
            (entries, since) = (copy.pointee.entries, now)
            return true
        }
        guard copy.pointee.is_busy != 0 else {
            // The loop wakes the watch with its next work. One more look finds work that began meanwhile.
            defer { thread_activity_set_watched(activity, 0) }
            return thread_activity_is_watched(activity) != 0
        }
        if blocked == nil, now - since >= LoopWatch.limit {
            let names = copy.pointee.names
            blocked = names
            logger.warning(
                "The code of a ViewModel blocks the loop of its session and of others",
                metadata: names.merging(duration(until: now)) { $1 }
            )
        }
        return true
    }

    private func duration(until now: ContinuousClock.Instant) -> Logger.Metadata {
        ["seconds": "\(((now - since) / .milliseconds(100)).rounded() / 10)"]
    }
}

extension activity_copy {
    fileprivate var names: Logger.Metadata {
        func text(_ text: UnsafePointer<CChar>?) -> String? { text.map { String(cString: $0) } }
        let name = text(session) ?? ""
        var names: Logger.Metadata = ["session": "\(name.isEmpty ? "(anonymous)" : name)", "uid": "\(uid)"]
        names["instance"] = text(instance).map { "\($0)" }
        names["member"] = text(member).map { "\($0)" }
        return names
    }
}

import Dispatch
import Synchronization

/// A serial queue for long computations that serves the users round-robin.
///
/// The computations of one user run in the order of their calls. Between two of them, each other waiting user gets one
/// computation.
///
/// Isolation: used from anywhere. No call blocks.
final class HashingQueue: Sendable {
    private struct State {
        var waiting: [UInt32: [@Sendable () -> Void]] = [:]
        /// The users with waiting work, in the order in which they are served.
        var waitingUsers: [UInt32] = []
        var isRunning = false
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "viewmodeld.passwords")

    /// Runs `work` on the queue's thread when it is the user's turn.
    func enqueue(for uid: UInt32, _ work: @escaping @Sendable () -> Void) {
        let isIdle = state.withLock { state in
            if state.waiting[uid]?.append(work) == nil {
                state.waiting[uid] = [work]
                state.waitingUsers.append(uid)
            }
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if isIdle { queue.async { self.drain() } }
    }

    private func drain() {
        while let work = next() { work() }
    }

    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard !state.waitingUsers.isEmpty else {
                state.isRunning = false
                return nil
            }
            let uid = state.waitingUsers.removeFirst()
            let work = state.waiting[uid]?.removeFirst()
            if state.waiting[uid]?.isEmpty == false {
                state.waitingUsers.append(uid)
            } else {
                state.waiting[uid] = nil
            }
            return work
        }
    }
}

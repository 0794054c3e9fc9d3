import GRDB
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Waits while another process has the database locked, and answers probes meanwhile.
///
/// A storage that waits for a lock is alive. A probe that waited for the lock, too, could not tell it from one that hangs.
/// Isolation: used from anywhere.
final class LockWait: Sendable {
    private struct State {
        var answers: [Int: @Sendable (Result<Void, any Error>) -> Void] = [:]
        var lastNumber = 0
    }

    private let patience: Duration
    private let state = Mutex(State())

    /// - Parameter patience: how long a write waits for the lock.
    init(patience: Duration) {
        self.patience = patience
    }

    /// SQLite's busy handler: waits a little.
    ///
    /// - Parameter tries: how often it was called for this lock before.
    /// - Returns: whether to try again.
    func waitsAgain(after tries: Int) -> Bool {
        let answers = state.withLock { state in
            defer { state.answers = [:] }
            return state.answers.values
        }
        for answer in answers { answer(.failure(DatabaseError(resultCode: .SQLITE_BUSY))) }
        // 1, 2, 4, 8, 16, then 25 milliseconds each.
        let waited = tries < 5 ? (1 << tries) - 1 : 31 + 25 * (tries - 5)
        guard Duration.milliseconds(waited) < patience else { return false }
        usleep(1000 * UInt32(tries < 5 ? 1 << tries : 25))
        return true
    }

    /// Has a probe answered when somebody waits for a lock, or by ``answer(_:_:)``.
    func register(_ answer: @escaping @Sendable (Result<Void, any Error>) -> Void) -> Int {
        state.withLock { state in
            state.lastNumber += 1
            state.answers[state.lastNumber] = answer
            return state.lastNumber
        }
    }

    /// Answers a probe that was not answered yet.
    func answer(_ number: Int, _ result: Result<Void, any Error>) {
        state.withLock { $0.answers.removeValue(forKey: number) }?(result)
    }
}

import GRDB
import Glibc
import Synchronization

/// A busy handler that waits while another process has the database locked, and answers probes meanwhile.
///
/// A storage that waits for a lock is alive. A probe that also waited could not distinguish it from a storage that
/// hangs.
///
/// Isolation: used from anywhere.
final class BusyHandler: Sendable {
    private struct State {
        var answers: [Int: @Sendable (Result<Void, any Error>) -> Void] = [:]
        var lastNumber = 0
    }

    private let timeout: Duration
    private let state = Mutex(State())

    init(timeout: Duration) {
        self.timeout = timeout
    }

    /// Answers the probes, sleeps and returns whether SQLite should retry after a number of tries; false after the timeout.
    func waitsAgain(after tries: Int) -> Bool {
        let answers = state.withLock { state in
            defer { state.answers = [:] }
            return state.answers.values
        }
        for answer in answers { answer(.failure(DatabaseError(resultCode: .SQLITE_BUSY))) }
        // The delays are 1, 2, 4, 8 and 16 milliseconds, then 25 milliseconds each.
        let waited = tries < 5 ? (1 << tries) - 1 : 31 + 25 * (tries - 5)
        guard Duration.milliseconds(waited) < timeout else { return false }
        usleep(1000 * UInt32(tries < 5 ? 1 << tries : 25))
        return true
    }

    /// Registers a probe.
    ///
    /// The next wait for a lock or ``answer(_:_:)`` answers it, and the earlier of the two wins.
    func register(_ answer: @escaping @Sendable (Result<Void, any Error>) -> Void) -> Int {
        state.withLock { state in
            state.lastNumber += 1
            state.answers[state.lastNumber] = answer
            return state.lastNumber
        }
    }

    /// Answers a probe, unless it was answered before.
    func answer(_ number: Int, _ result: Result<Void, any Error>) {
        state.withLock { $0.answers.removeValue(forKey: number) }?(result)
    }
}

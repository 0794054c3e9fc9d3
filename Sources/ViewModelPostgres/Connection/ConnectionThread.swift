import CPostgres
import Dispatch
import Synchronization

/// A connection with the thread that it blocks: a serial queue, which needs a thread only while it has work.
final class ConnectionThread: Sendable {
    private let queue = DispatchQueue(label: "viewmodeld.postgres")
    private let connection = Mutex<PostgresConnection?>(nil)

    /// Opens the connection and calls `completion` on its thread.
    func open(
        _ settings: ConnectionSettings,
        _ notices: ServerNotices?,
        completion: @escaping @Sendable (PostgresError?) -> Void
    ) {
        queue.async {
            let failure = self.connection.withLock { slot in
                do throws(PostgresError) {
                    slot = try PostgresConnection.open(settings, notices)
                    return nil as PostgresError?
                } catch {
                    return error
                }
            }
            completion(failure)
        }
    }

    /// Runs `work` with the connection, or with nil after ``close()``.
    func run<Value: Sendable>(_ work: @escaping @Sendable (PostgresConnection?) -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            use { continuation.resume(returning: work($0)) }
        }
    }

    /// Runs `work` with the connection, or with nil after ``close()``, and returns at once.
    func use(_ work: @escaping @Sendable (PostgresConnection?) -> Void) {
        queue.async { self.connection.withLock { work($0) } }
    }

    /// Closes the connection after earlier work.
    ///
    /// A statement that the server still executes is cancelled. On a dead network this may block its thread for
    /// some seconds, and no other thread.
    func close() {
        queue.async {
            self.connection.withLock { slot in
                slot?.cancelRunning()
                slot = nil
            }
        }
    }
}

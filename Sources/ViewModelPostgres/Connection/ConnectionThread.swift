import CPostgres
import Dispatch
import Synchronization
import ViewModelStorage

/// A connection with the thread that it blocks: a serial queue, which needs a thread only while it has work.
final class ConnectionThread: Sendable {
    private let queue = DispatchQueue(label: "viewmodeld.postgres")
    private let connection = Mutex<PostgresConnection?>(nil)

    /// Opens the connection and calls `completion` on its thread.
    func open(
        _ settings: ConnectionSettings,
        _ notices: ServerNotices?,
        completion: @escaping @Sendable (StoreError?) -> Void
    ) {
        queue.async {
            let failure = self.connection.withLock { slot in
                do throws(StoreError) {
                    slot = try PostgresConnection.open(settings, notices)
                    return nil as StoreError?
                } catch {
                    return error
                }
            }
            completion(failure)
        }
    }

    /// Runs `work` with the open connection, and `onCancel` if the task is cancelled meanwhile.
    func run<Value: Sendable>(
        _ work: @escaping @Sendable (PostgresConnection) throws(StoreError) -> Value,
        onCancel: @escaping @Sendable () -> Void = {}
    ) async throws(StoreError) -> Value {
        let result: Result<Value, StoreError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                use { connection in
                    continuation.resume(
                        returning: Result { () throws(StoreError) in
                            guard let connection else { throw .closed("The connection") }
                            return try work(connection)
                        }
                    )
                }
            }
        } onCancel: {
            onCancel()
        }
        return try result.get()
    }

    /// Runs `work` with the connection, or with nil after ``close(_:)``, and returns at once.
    func use(_ work: @escaping @Sendable (PostgresConnection?) -> Void) {
        queue.async { self.connection.withLock { work($0) } }
    }

    /// Closes the connection after earlier work.
    ///
    /// A statement that the server still executes is cancelled. On a dead network this may block its thread for
    /// some seconds, and no other thread.
    func close(_ completion: @escaping @Sendable () -> Void = {}) {
        queue.async {
            self.connection.withLock { slot in
                slot?.cancelRunning()
                slot = nil
            }
            completion()
        }
    }
}

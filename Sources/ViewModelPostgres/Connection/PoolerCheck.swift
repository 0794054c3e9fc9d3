import CPostgres
import ViewModelStorage

/// The check for a pooler that gives each transaction another connection of the server.
///
/// The daemon listens, prepares statements and sets time limits for the life of a connection. A pooler in session mode
/// keeps these; pgbouncer in transaction mode does not.
package enum PoolerCheck {
    /// How often two connections are compared.
    ///
    /// Other clients of the pooler can hide that it reuses a connection.
    private static let rounds = 20

    /// Checks the way to the database.
    ///
    /// - Throws: `StoreError` of kind `misconfigured` if there is a pooler in transaction mode.
    static func run(_ settings: ConnectionSettings, _ notices: ServerNotices? = nil) async throws(StoreError) {
        try await Blocking.run { () throws(StoreError) in try check(settings, notices) }
    }

    private static func check(_ settings: ConnectionSettings, _ notices: ServerNotices?) throws(StoreError) {
        let deadline = Deadline(after: settings.connectLimit * 3)
        func process(_ connection: PostgresConnection) throws(StoreError) -> String? {
            try connection.ask("SELECT pg_backend_pid()", until: deadline)
        }
        let first = try PostgresConnection.open(settings, notices, isPlain: true)
        let start = try process(first)
        // A server without a pooler reports its own process when the connection is opened.
        guard start != "\(PQbackendPID(first.handle))" else { return }
        let second = try PostgresConnection.open(settings, notices, isPlain: true)
        for _ in 0..<rounds {
            do throws(StoreError) {
                _ = try second.ask("BEGIN", until: deadline)
            } catch {
                // pgbouncer in statement mode refuses it, and closes the connection.
                throw .pooled(settings.label)
            }
            let other = try process(second)
            _ = try second.ask("COMMIT", until: deadline)
            // In session mode the two connections of the server are different, and stay the same.
            let own = try process(first)
            guard own == start, other != own else { throw .pooled(settings.label) }
        }
    }
}

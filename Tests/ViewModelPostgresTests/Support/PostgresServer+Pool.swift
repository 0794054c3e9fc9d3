import Logging
import PostgresSupport

@testable import ViewModelPostgres

extension PostgresServer {
    /// Returns a pool with the tables in a schema of its own.
    func pool(_ change: (inout ConnectionSettings) -> Void = { _ in }) async throws -> ConnectionPool {
        var settings = try settings()
        change(&settings)
        let pool = ConnectionPool(settings, logger: Logger(label: "test"))
        try await Schema.migrate(pool)
        return pool
    }
}

extension ConnectionPool {
    /// Returns another pool on the same tables, like the one of another node.
    func another(_ change: (inout ConnectionSettings) -> Void = { _ in }) -> ConnectionPool {
        var settings = settings
        change(&settings)
        return ConnectionPool(settings, logger: Logger(label: "test"))
    }
}

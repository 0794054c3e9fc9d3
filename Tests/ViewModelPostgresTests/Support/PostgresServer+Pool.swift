import Logging
import PostgresSupport
import Testing

@testable import ViewModelPostgres

extension Trait where Self == ConditionTrait {
    /// The suite needs a server.
    static var postgres: Self { .enabled(if: PostgresServer.isWanted, "PostgreSQL 15 is not installed") }
}

extension PostgresServer {
    /// Returns a pool with the tables in a schema of its own.
    func pool(_ change: (inout ConnectionSettings) -> Void = { _ in }) async throws -> ConnectionPool {
        var settings = try settings()
        change(&settings)
        let pool = ConnectionPool(settings, logger: Logger(label: "test"))
        try await PostgresSchema.migrate(pool)
        return pool
    }
}

extension ConnectionPool {
    /// Makes the server refuse changes of a table with a full disk, such as `INSERT ON node`, while a condition holds.
    func refuse(_ change: String, while condition: String = "true") async throws {
        try await rows(
            """
            CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                IF \(condition) THEN RAISE EXCEPTION 'no space left' USING ERRCODE = '53100'; END IF;
                RETURN NEW;
            END $$
            """
        )
        try await rows("CREATE TRIGGER refuse BEFORE \(change) FOR EACH ROW EXECUTE FUNCTION refuse()")
    }

    /// Returns another pool on the same tables, like the one of another node.
    func another(_ change: (inout ConnectionSettings) -> Void = { _ in }) -> ConnectionPool {
        var settings = settings
        change(&settings)
        return ConnectionPool(settings, logger: Logger(label: "test"))
    }
}

import PostgresSupport
import StorageChecks
import Testing

/// The checks that every store has to pass, on PostgreSQL.
@Suite(.postgres) struct StorageCheckTests {
    @Test(arguments: StorageCheck.all)
    func `the store in PostgreSQL passes`(check: StorageCheck) async throws {
        try await check.run(on: PostgresFixture())
    }
}

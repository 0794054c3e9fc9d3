import ViewModelHost
import ViewModelStorage

/// The numbers of people in the shared database.
struct PostgresUserNumbers: UserNumbers {
    let database: SharedDatabase

    func number(of digest: [UInt8]) async throws -> UInt32 {
        // The second look finds what another node has inserted between the first one and the insertion.
        for statement in [
            "SELECT uid FROM person WHERE subject = $1",
            "INSERT INTO person (subject) VALUES ($1) ON CONFLICT DO NOTHING RETURNING uid",
            "SELECT uid FROM person WHERE subject = $1",
        ] {
            do throws(StoreError) {
                let rows = try await database.pool.rows(statement, [.bytes(digest)])
                if let row = rows.first { return try row.integer("uid") }
            } catch {
                // sequence_generator_limit_exceeded
                throw error.sqlState == "2200H" ? NoUserNumberLeft() : error
            }
        }
        throw StoreError(.damaged, database.label, "has lost a person")
    }
}

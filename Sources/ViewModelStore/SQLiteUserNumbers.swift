import FoundationEssentials
import GRDB
import ViewModelHost
import ViewModelStorage

/// The numbers of people in the store's file.
struct SQLiteUserNumbers: UserNumbers {
    let database: DatabaseFile

    func number(of digest: [UInt8]) async throws -> UInt32 {
        let sql = "SELECT uid FROM person WHERE subject = ?"
        let subject = Data(digest)
        if let known = try await database.read({ try UInt32.fetchOne($0, sql: sql, arguments: [subject]) }) {
            return known
        }
        return try await database.write { db in
            try db.execute(
                sql: """
                    INSERT INTO person SELECT coalesce(max(uid), \(ClosedRange.ofPeople.lowerBound - 1)) + 1, ? FROM person
                    WHERE true ON CONFLICT (subject) DO NOTHING
                    """,
                arguments: [subject]
            )
            guard let new = try UInt32.fetchOne(db, sql: sql, arguments: [subject]) else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT)
            }
            return new
        }
    }
}

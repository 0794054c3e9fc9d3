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
        let new = try await database.write { db in
            let people = ClosedRange.ofPeople
            try db.execute(
                sql: """
                    INSERT INTO person
                    SELECT last + 1, ? FROM (SELECT coalesce(max(uid), \(people.lowerBound - 1)) AS last FROM person)
                    WHERE last < \(people.upperBound) ON CONFLICT (subject) DO NOTHING
                    """,
                arguments: [subject]
            )
            return try UInt32.fetchOne(db, sql: sql, arguments: [subject])
        }
        guard let new else { throw NoUserNumberLeft() }
        return new
    }
}

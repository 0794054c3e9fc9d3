import GRDB
import ViewModelStorage

/// The time of the clock in the store's file.
extension StoreClock {
    /// Sets the clock forward to the time of the file.
    func advance(_ db: Database) throws {
        let sql = "SELECT max(time, coalesce((SELECT max(usedAt) FROM session), 0)) FROM clock"
        if let time = try Int64.fetchOne(db, sql: sql) { advance(to: time) }
    }

    func save(_ db: Database) throws {
        try db.execute(sql: "UPDATE clock SET time = ?", arguments: [now])
    }
}

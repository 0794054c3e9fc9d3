import FoundationEssentials
import GRDB
import Synchronization

extension Cache {
    /// Removes entries beyond the maximum age.
    static func removeExpired(_ db: Database, now: Date, maximumAge: Duration) throws {
        let oldest = now.microseconds.clamped(minus: maximumAge.microseconds)
        try db.execute(sql: "DELETE FROM cache WHERE fetchedAt <= ?", arguments: [oldest])
    }

    static func total(_ db: Database) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT bytes FROM cacheTotal") ?? 0
    }

    /// Removes the least recently used entries until the rest fits.
    func evict(_ db: Database) throws {
        var total = try Self.total(db)
        while total > maximumBytes {
            let row = try Row.fetchOne(db, sql: "SELECT entry, bytes FROM cache ORDER BY usedAt LIMIT 1")
            guard let row else { break }
            try db.execute(sql: "DELETE FROM cache WHERE entry = ?", arguments: [row.value("entry", as: Int64.self)])
            total = Int(Int64(total).clamped(minus: try row.value("bytes")))
        }
    }

    func saveUses(_ db: Database) throws {
        let noted = uses.withLock { uses in
            let noted = uses.entries
            uses.entries = [:]
            return noted
        }
        for (entry, time) in noted {
            try db.execute(
                sql: "UPDATE cache SET usedAt = ? WHERE entry = ? AND usedAt < ?",
                arguments: [time, entry, time]
            )
        }
    }

    func noteUse(_ entry: Int64, at now: Int64, _ db: Database) throws {
        let use = try nextUse(at: now, db)
        uses.withLock { $0.entries[entry] = use }
    }

    /// Returns the time of a use, which is later than all former ones, those before the last restart included.
    func nextUse(at now: Int64, _ db: Database) throws -> Int64 {
        let last = uses.withLock { $0.last }
        let former = try last ?? Int64.fetchOne(db, sql: "SELECT MAX(usedAt) FROM cache") ?? 0
        return uses.withLock { uses in
            let next = max(now, max(uses.last ?? 0, former).clamped(plus: 1))
            uses.last = next
            return next
        }
    }
}

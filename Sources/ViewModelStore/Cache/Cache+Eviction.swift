import FoundationEssentials
import GRDB
import Synchronization

extension Cache {
    /// Removes what is too old; gives the users who lost something.
    @discardableResult
    static func removeExpired(_ db: Database, now: Date, maximumAge: Duration) throws -> Set<UInt32> {
        let oldest = now.microseconds.clamped(minus: maximumAge.microseconds)
        return try UInt32.fetchSet(db, sql: "DELETE FROM cache WHERE fetchedAt <= ? RETURNING uid", arguments: [oldest])
    }

    static func total(_ db: Database) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT bytes FROM cacheTotal") ?? 0
    }

    /// Removes what was used least recently until the rest fits; gives the users who lost something.
    func evict(_ db: Database) throws -> Set<UInt32> {
        var losers: Set<UInt32> = []
        var total = try Self.total(db)
        while total > maximumBytes {
            let row = try Row.fetchOne(db, sql: "SELECT entry, uid, bytes FROM cache ORDER BY usedAt LIMIT 1")
            guard let row else { break }
            try db.execute(sql: "DELETE FROM cache WHERE entry = ?", arguments: [row.value("entry", as: Int64.self)])
            losers.insert(try row.value("uid"))
            total = Int(Int64(total).clamped(minus: try row.value("bytes")))
        }
        return losers
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

    /// The time of a use, later than that of any other, also of those before the daemon was started.
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

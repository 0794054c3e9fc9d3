import FoundationEssentials
import GRDB
import ViewModelHost
package import ViewModelStorage

/// The records of the file, as they are copied from and to other stores.
extension StateStore {
    /// Returns all records, of one moment.
    package func records() async throws(StoreError) -> StoreRecords {
        try await database.read { try StoreRecords($0).normalized() }
    }

    /// Stores records in one transaction.
    ///
    /// - Throws: `StoreError.Kind.notEmpty` if the file has records.
    package func fill(with records: StoreRecords) async throws(StoreError) {
        let path = database.path
        // The copied sessions keep their ages.
        if let latest = records.sessions.map(\.usedAt).max() { ages.set(to: latest) }
        let ages = ages
        try await database.write { db in
            guard try StoreRecords(db).isEmpty else {
                throw StoreError.notEmpty(path, "Move the file away with its -wal and -shm, or name another directory")
            }
            try records.insert(into: db, at: ages.now)
            try ages.save(db)
        }
    }
}

extension StoreRecords {
    fileprivate init(_ db: Database) throws {
        self.init()
        try readAccounts(db)
        try readCache(db)
        items = try Row.fetchAll(
            db,
            sql: "SELECT uid, id, text, status, attempts, problem, sentOrder FROM outbox ORDER BY position"
        ).map { row in
            Item(uid: try row.value("uid"), item: try OutboxItem(row), sentOrder: try row.optional("sentOrder"))
        }
        try readSessions(db)
        for row in try Row.fetchAll(db, sql: "SELECT uid, owner, name, text FROM lastingValue") {
            guard let area = ValueArea(number: try row.value("uid")) else { throw UnexpectedColumn(name: "uid") }
            values[area, default: [:]][try SavedValue.Key(row)] = try row.bytes("text")
        }
    }

    private mutating func readAccounts(_ db: Database) throws {
        accounts = try Row.fetchAll(
            db,
            sql: "SELECT name, nickname, balance, coupons, parameters, salt, hash FROM account"
        ).map { try LocalAccount($0, named: $0.text("name")) }
        tokens = try SQLiteVault.rows(db)
        keys = try SQLiteVault.keys(db)
    }

    private mutating func readCache(_ db: Database) throws {
        pages = try Row.fetchAll(db, sql: "SELECT uid, value, etag, fetchedAt FROM cache").map { row in
            Page(
                uid: try row.value("uid"),
                value: try row.bytes("value"),
                etag: try row.optionalText("etag"),
                fetchedAt: try row.value("fetchedAt")
            )
        }
    }

    private mutating func readSessions(_ db: Database) throws {
        var saved: [Int64: SavedSession] = [:]
        let instances = try Row.fetchAll(
            db,
            sql: "SELECT session, id, type, arguments FROM sessionInstance ORDER BY session, position"
        )
        for row in instances {
            saved[try row.value("session"), default: SavedSession()].instances.append(try .init(row))
        }
        for row in try Row.fetchAll(db, sql: "SELECT session, owner, name, text FROM sessionValue") {
            let key = try SavedValue.Key(row)
            saved[try row.value("session"), default: SavedSession()].values[key] = try row.bytes("text")
        }
        sessions = try Row.fetchAll(db, sql: "SELECT session, uid, name, usedAt FROM session").map { row in
            Session(
                key: SessionKey(uid: try row.value("uid"), name: try row.value("name")),
                usedAt: try row.value("usedAt"),
                saved: saved[try row.value("session")] ?? SavedSession()
            )
        }
    }
}

extension StoreRecords {
    fileprivate func insert(into db: Database, at now: Int64) throws {
        for account in accounts { try SQLiteLocalAccounts.insert(account, db) }
        for key in keys { try SQLiteVault.record(key, db) }
        for row in tokens { try SQLiteVault.store(row, db) }
        for page in pages { try SQLiteCache.store(page, at: now, db) }
        for item in items {
            try db.execute(
                sql: """
                    INSERT INTO outbox (id, uid, text, status, attempts, problem, createdAt, sentOrder)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    item.item.id, item.uid, item.item.text.blob, item.item.status.rawValue, item.item.attempts,
                    item.item.problem?.blob, now, item.sentOrder,
                ]
            )
        }
        for session in sessions {
            try db.execute(
                sql: "INSERT INTO session (uid, name, usedAt) VALUES (?, ?, ?)",
                arguments: [session.key.uid, session.key.name, session.usedAt]
            )
            try SessionArchive.insert(session.saved, db, db.lastInsertedRowID)
        }
        for (area, values) in values {
            for (key, text) in values { try SessionArchive.save(db, area, SavedValue(key: key, text: text)) }
        }
    }
}

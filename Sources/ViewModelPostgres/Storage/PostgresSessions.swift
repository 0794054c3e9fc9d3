import ViewModelHost
import ViewModelStorage

/// The saved sessions, and the values of users and of the daemon, in the shared database.
///
/// Erased data is out of reach at once. PostgreSQL overwrites its former versions in its own time.
final class PostgresSessions: Store {
    private let database: SharedDatabase
    private let owners: SessionOwners

    init(_ database: SharedDatabase, _ owners: SessionOwners) {
        self.database = database
        self.owners = owners
    }

    /// Makes the caller the writer, unless the session lives on another node.
    ///
    /// - Throws: `SessionMoved` if it lives on a node whose lease has not expired.
    func acquire(_ key: SessionKey, mayCreate: Bool) async throws -> AcquiredSession? {
        try await database.sharing {
            switch try await owners.take(key, mayCreate: mayCreate, isUse: false) {
            case .taken(let session): return session
            case .missing: return nil
            case .livesElsewhere(let owner): throw SessionMoved(to: owner.node)
            }
        }
    }

    func save(_ changes: SessionChanges) async throws {
        let limits = database.bounds.value
        let (boot, time) = (database.boot, database.age)
        try await database.sharing {
            try await database.pool.transaction(isIdempotent: true) { transaction in
                let session = try Self.session(changes, boot: boot, time, transaction)
                if let instances = changes.instances { try Self.replace(instances, of: session, transaction) }
                try Self.save(changes.values, of: session, transaction)
                if changes.isComplete {
                    try Self.eraseOldest(but: session, changes, boot, keeping: limits.savedSessions, transaction)
                }
                let size = try transaction.rows(Self.size, [.integer(session)]).first?.integer("size", as: Int.self)
                guard size ?? 0 <= limits.savedBytes else { throw SessionTooLarge(limit: limits.savedBytes) }
            }
        }
    }

    func erase(_ key: SessionKey, under fence: SessionFence) async throws {
        let boot = database.boot
        try await database.sharing {
            try await database.pool.transaction(isIdempotent: true) { transaction in
                try SessionOwners.check(key, fence, boot, transaction)
                try transaction.queue("DELETE FROM session WHERE uid = $1 AND name = $2", key.values)
            }
            // A repetition of both is harmless, one of a transaction with both would find no owner.
            try await owners.release(key, under: fence, isClosed: true)
        }
    }

    func touch(_ key: SessionKey) async throws {
        _ = try await database.sharing {
            try await database.pool.rows(
                """
                UPDATE session SET used_at = greatest(used_at, $3) WHERE uid = $1 AND name = $2
                """,
                key.values + [database.age],
                isIdempotent: true
            )
        }
    }

    func eraseUnused(forDays days: Int) async throws {
        let age = Int64(max(days, 0)).multipliedReportingOverflow(by: 86_400_000_000)
        guard !age.overflow else { return }
        _ = try await database.sharing {
            try await database.synchronizeClock()
            // The owner of a living session may not have recorded a use for long, because it was cut off.
            return try await database.pool.rows(
                """
                DELETE FROM session s WHERE used_at < $1 - $2::bigint
                AND NOT EXISTS (\(SessionOwners.livingOwner) AND o.boot <> $3)
                """,
                [database.age, .integer(age.partialValue), .text(database.boot)],
                isIdempotent: true
            )
        }
    }
}

extension PostgresSessions {
    /// Erases the user's least recently used sessions beyond `limit`, but neither the one that is being saved nor others
    /// that live, here or on another node.
    private static func eraseOldest(
        but session: Int64,
        _ changes: SessionChanges,
        _ boot: String,
        keeping limit: Int,
        _ transaction: Transaction
    ) throws(PostgresError) {
        try transaction.queue(
            """
            DELETE FROM session WHERE session IN (
                SELECT session FROM session s
                WHERE uid = $1 AND session <> $2 AND name <> ALL ($4)
                AND NOT EXISTS (\(SessionOwners.livingOwner) AND o.boot <> $5)
                ORDER BY used_at, session LIMIT greatest((SELECT count(*) FROM session WHERE uid = $1) - $3, 0)
            )
            """,
            [
                .number(changes.key.uid), .integer(session), .number(max(limit, 1)), .texts(changes.living),
                .text(boot),
            ]
        )
    }

    /// Checks the fence, and returns the number of the session, which is created if necessary.
    private static func session(
        _ changes: SessionChanges,
        boot: String,
        _ time: SQLValue,
        _ transaction: Transaction
    ) throws -> Int64 {
        let key = changes.key
        // In one round trip. If the fence is old, the second statement is rolled back.
        let isOwned = SessionOwners.ownership(key, changes.fence, boot)
        try transaction.queue(isOwned.sql, isOwned.values)
        try transaction.queue(
            """
            UPDATE session SET used_at = greatest(used_at, $3) WHERE uid = $1 AND name = $2
            RETURNING session
            """,
            key.values + [time]
        )
        let results = Array(try transaction.results().suffix(2))
        if results[0].isEmpty { throw try SessionOwners.moved(key, transaction) }
        if let row = results[1].first { return try row.integer("session") }
        guard changes.isComplete else { throw SessionForgotten() }
        let made = try transaction.rows(
            "INSERT INTO session (uid, name, used_at) VALUES ($1, $2, $3) RETURNING session",
            key.values + [time]
        )
        guard let row = made.first else { throw PostgresError.unexpectedColumn("session") }
        return try row.integer("session")
    }

    /// Replaces the instances, and erases the values of the removed ones and their children.
    private static func replace(
        _ instances: [SavedInstance],
        of session: Int64,
        _ transaction: Transaction
    ) throws(PostgresError) {
        try transaction.queue(
            """
            DELETE FROM session_value v USING session_instance i WHERE v.session = $1 AND i.session = $1
            AND i.id <> ALL ($2) AND (v.owner = i.id OR starts_with(v.owner, i.id || '.'))
            """,
            [.integer(session), .texts(instances.map(\.id))]
        )
        try transaction.queue("DELETE FROM session_instance WHERE session = $1", [.integer(session)])
        try transaction.queue(
            """
            INSERT INTO session_instance (session, position, id, type, arguments)
            SELECT $1, n, id, type, arguments FROM unnest($2::text[], $3::text[], $4::bytea[])
            WITH ORDINALITY AS instance (id, type, arguments, n)
            """,
            [
                .integer(session), .texts(instances.map(\.id)), .texts(instances.map(\.type)),
                .byteStrings(instances.map(\.arguments)),
            ]
        )
    }

    private static func save(
        _ values: [SavedValue],
        of session: Int64,
        _ transaction: Transaction
    ) throws(PostgresError) {
        try transaction.saveValues(values, in: "session_value", column: "session", session)
    }

    /// Inserts a session that is not saved.
    static func insert(_ session: StoreRecords.Session, _ transaction: Transaction) throws {
        let rows = try transaction.rows(
            "INSERT INTO session (uid, name, used_at) VALUES ($1, $2, $3) RETURNING session",
            session.key.values + [.integer(session.usedAt)]
        )
        guard let number: Int64 = try rows.first?.integer("session") else {
            throw PostgresError.unexpectedColumn("session")
        }
        try replace(session.saved.instances, of: number, transaction)
        try save(session.saved.values.map { SavedValue(key: $0.key, text: $0.value) }, of: number, transaction)
    }

    /// The bytes of a session's values and instances, names included.
    private static let size = """
        SELECT coalesce((
            SELECT sum(octet_length(text) + octet_length(owner) + octet_length(name))
            FROM session_value WHERE session = $1
        ), 0) + coalesce((
            SELECT sum(octet_length(id) + octet_length(type) + coalesce(octet_length(arguments), 0))
            FROM session_instance WHERE session = $1
        ), 0) AS size
        """
}

/// The values that are kept for a user or for the daemon.
extension PostgresSessions {
    func loadValues(of area: ValueArea) async throws -> [SavedValue.Key: [UInt8]] {
        database.feed.follow(area.number)
        return try await database.sharing {
            let rows = try await database.pool.rows(
                "SELECT owner, name, text FROM lasting_value WHERE uid = $1",
                [.integer(area.number)],
                isIdempotent: true
            )
            return try SavedValue.values(rows)
        }
    }

    func save(_ values: [SavedValue], of area: ValueArea) async throws {
        let limit = database.bounds.value.savedBytes
        let subject = ChangeNotice.Subject(uid: area.number, topic: .values)
        try await database.sharing {
            try await database.write(subject) { transaction in
                try transaction.saveValues(values, in: "lasting_value", column: "uid", area.number)
                let rows = try transaction.rows(
                    """
                    SELECT coalesce(sum(octet_length(text) + octet_length(owner) + octet_length(name)), 0)::bigint AS size
                    FROM lasting_value WHERE uid = $1
                    """,
                    [.integer(area.number)]
                )
                guard try rows.first?.integer("size", as: Int.self) ?? 0 <= limit else {
                    throw ValuesTooLarge(limit: limit)
                }
            }
        }
    }
}

extension SessionKey {
    /// The parameters 1 and 2 of a statement about the session.
    var values: [SQLValue] { [.number(uid), .text(name)] }
}

extension SavedInstance {
    /// Creates the instance in a row with `id`, `type` and `arguments`.
    init(_ row: SQLRow) throws(PostgresError) {
        self.init(id: try row.text("id"), type: try row.text("type"), arguments: try row.optionalBytes("arguments"))
    }
}

extension SavedValue.Key {
    /// Creates the key in a row with `owner` and `name`.
    init(_ row: SQLRow) throws(PostgresError) {
        self.init(owner: try row.text("owner"), name: try row.text("name"))
    }
}

extension SavedValue {
    /// Returns the values in rows with `owner`, `name` and `text`.
    static func values(_ rows: [SQLRow]) throws(PostgresError) -> [SavedValue.Key: [UInt8]] {
        var values: [SavedValue.Key: [UInt8]] = [:]
        for row in rows {
            values[try SavedValue.Key(row)] = try row.bytes("text")
        }
        return values
    }
}

extension Transaction {
    /// Queues statements that store or erase values in a table, of the owner with a number in a column.
    func saveValues(
        _ values: [SavedValue],
        in table: String,
        column: String,
        _ number: Int64
    ) throws(PostgresError) {
        let erased = values.filter { $0.text == nil }
        if !erased.isEmpty {
            try queue(
                """
                DELETE FROM \(table) v USING unnest($2::text[], $3::text[]) AS erased (owner, name)
                WHERE v.\(column) = $1 AND v.owner = erased.owner AND v.name = erased.name
                """,
                [.integer(number), .texts(erased.map(\.key.owner)), .texts(erased.map(\.key.name))]
            )
        }
        let stored = values.filter { $0.text != nil }
        guard !stored.isEmpty else { return }
        try queue(
            """
            INSERT INTO \(table) (\(column), owner, name, text)
            SELECT $1, owner, name, text FROM unnest($2::text[], $3::text[], $4::bytea[]) AS stored (owner, name, text)
            ON CONFLICT (\(column), owner, name) DO UPDATE SET text = excluded.text
            """,
            [
                .integer(number), .texts(stored.map(\.key.owner)), .texts(stored.map(\.key.name)),
                .byteStrings(stored.map(\.text)),
            ]
        )
    }
}

import ViewModelHost
import ViewModelStorage

/// The saved sessions, and the values of users and of the daemon.
///
/// Erased data is out of reach at once. PostgreSQL overwrites its former versions in its own time.
extension PostgresSessions: Store {
    func save(_ changes: SessionChanges) async throws {
        let canMerge = changes.instances == nil && !changes.isComplete && !changes.values.isEmpty
        let limit = Deadline(after: database.pool.settings.transactionLimit)
        if canMerge, try await merged.save(changes) { return }
        let limits = database.bounds
        let results: [[SQLRow]]
        do {
            results = try await database.pool.batch(statements(changes, limits), limit: limit.remaining)
        } catch {
            if error.constraint == "session_size" { throw SavedStateTooLarge(limit: limits.savedBytes) }
            // Another node's limit has erased the session meanwhile.
            if error.sqlState == "23503" { throw SessionForgotten() }
            throw error
        }
        if results.first?.isEmpty ?? true { throw try await moved(changes.key) }
        if results.last?.isEmpty ?? true { throw SessionForgotten() }
    }

    func erase(_ key: SessionKey, under fence: SessionFence) async throws {
        let owned = OwnedSession(key, fence, database.boot)
        let results = try await database.pool.batch(
            [owned.lock, ("DELETE FROM session WHERE session = \(OwnedSession.number)", owned.values)]
        )
        if results[0].isEmpty { throw try await moved(key) }
        // A repetition of both is harmless, one of a transaction with both would find no owner.
        try await release(key, under: fence, isClosed: true)
    }

    func touch(_ key: SessionKey) async throws {
        try await database.pool.rows(
            "UPDATE session SET used_at = greatest(used_at, $3) WHERE uid = $1 AND name = $2",
            key.values + [database.age]
        )
    }

    func eraseUnused(forDays days: Int) async throws {
        let age = Int64(max(days, 0)).multipliedReportingOverflow(by: 86_400_000_000)
        guard !age.overflow else { return }
        try await database.synchronizeClock()
        // The owner of a living session may not have recorded a use for long, because it was cut off.
        try await database.pool.rows(
            """
            DELETE FROM session s WHERE used_at < $1 - $2::bigint
            AND NOT EXISTS (\(Self.livingOwner) AND o.boot <> $3)
            """,
            [database.age, .integer(age.partialValue), .text(database.boot)]
        )
    }
}

extension PostgresSessions {
    /// Returns the statements that save changes in one round trip.
    ///
    /// The first one has a row if the session lives here, the last one if it is saved. Otherwise none changes anything.
    private func statements(_ changes: SessionChanges, _ limits: StoreBounds) -> [SQLStatement] {
        let key = changes.key
        let owned = OwnedSession(key, changes.fence, database.boot)
        let number = SQLValue.integer(changes.number)
        // The order of all locks is the owner, the session, its values.
        var all = [
            owned.lock,
            (
                // An error ends a save that its caller has given up, and that arrives after a later one.
                """
                SELECT 1 / (CASE WHEN (saved_fence, saved_number) <= ($4::bigint, $5::bigint) THEN 1 ELSE 0 END)
                FROM session WHERE uid = $1 AND name = $2 AND EXISTS (\(OwnedSession.condition)) FOR NO KEY UPDATE
                """,
                owned.values + [number]
            ),
        ]
        if changes.isComplete {
            all.append(
                (
                    """
                    INSERT INTO session (uid, name, used_at) SELECT $1, $2, $5 WHERE EXISTS (\(OwnedSession.condition))
                    ON CONFLICT DO NOTHING
                    """,
                    owned.values + [database.age]
                )
            )
        }
        if let instances = changes.instances {
            all += Self.replacing(instances, of: owned)
        }
        all += changes.values.statements(in: "session_value", "session", OwnedSession.number, owned.values)
        if changes.isComplete {
            // Neither the session that is being saved nor others that live, here or on another node.
            all.append(
                (
                    """
                    DELETE FROM session WHERE session IN (
                        SELECT session FROM session s
                        WHERE uid = $1 AND name <> $2 AND name <> ALL ($5)
                        AND NOT EXISTS (\(Self.livingOwner) AND o.boot <> $3)
                        AND EXISTS (\(OwnedSession.condition))
                        ORDER BY used_at, session LIMIT greatest((SELECT count(*) FROM session WHERE uid = $1) - $6, 0)
                    )
                    """,
                    owned.values + [.texts(changes.living), .number(max(limits.savedSessions, 1))]
                )
            )
        }
        all.append(
            (
                """
                UPDATE session s SET used_at = greatest(used_at, $5), byte_limit = $6, bytes = \(Self.size),
                    saved_fence = $4, saved_number = $7
                WHERE session = \(OwnedSession.number) RETURNING session
                """,
                owned.values + [database.age, .number(limits.savedBytes), number]
            )
        )
        return all
    }

    /// Returns the statements that replace the instances, and erase the values of the removed ones and their children.
    private static func replacing(_ instances: [SavedInstance], of owned: OwnedSession) -> [SQLStatement] {
        let (session, parameters) = (OwnedSession.number, owned.values)
        return [
            (
                """
                DELETE FROM session_value v USING session_instance i WHERE v.session = \(session) AND i.session = v.session
                AND i.id <> ALL ($5) AND (v.owner = i.id OR starts_with(v.owner, i.id || '.'))
                """,
                parameters + [.texts(instances.map(\.id))]
            ),
            ("DELETE FROM session_instance WHERE session = \(session)", parameters),
            (
                """
                INSERT INTO session_instance (session, position, id, type, arguments)
                SELECT \(session), n, id, type, arguments
                FROM unnest($5::text[], $6::text[], $7::bytea[])
                WITH ORDINALITY AS instance (id, type, arguments, n) WHERE \(session) IS NOT NULL
                """,
                parameters + [
                    .texts(instances.map(\.id)), .texts(instances.map(\.type)),
                    .byteStrings(instances.map(\.arguments)),
                ]
            ),
        ]
    }

    /// Returns the expression of whether a row of a value does not count, as ``SavedValue/Key/isCounted`` says.
    static func isAside(_ row: String) -> String { "starts_with(\(row).name, E'\\x01aside')" }

    /// The bytes of the values and instances of a session `s`, names included.
    static let size = """
        coalesce((
            SELECT sum(octet_length(text) + octet_length(owner) + octet_length(name))
            FROM session_value v WHERE v.session = s.session AND NOT \(isAside("v"))
        ), 0) + coalesce((
            SELECT sum(octet_length(id) + octet_length(type) + coalesce(octet_length(arguments), 0))
            FROM session_instance i WHERE i.session = s.session
        ), 0)
        """
}

/// The values that are kept for a user or for the daemon.
extension PostgresSessions {
    func loadValues(of area: ValueArea) async throws -> [SavedValue.Key: [UInt8]] {
        let subject = StorageChange(.values, of: area.number)
        let sql = "SELECT owner, name, text FROM lasting_value WHERE uid = $1"
        return try SavedValue.values(await database.rows(subject, sql, [.integer(area.number)]))
    }

    func save(_ changes: [LastingChange], of area: ValueArea) async throws -> [SavedValue.Key: [UInt8]] {
        let limit = database.bounds.savedBytes
        let raising = StorageChange(.values, of: area.number).raising
        let names: [SQLValue] = [
            .integer(area.number), .texts(changes.map(\.key.owner)), .texts(changes.map(\.key.name)),
        ]
        let (newer, raised) = try await database.pool.transaction(isIdempotent: true) { transaction in
            // From here on, the saves of other nodes wait.
            try transaction.queue(raising.sql, raising.values)
            try transaction.queue(
                """
                SELECT v.owner, v.name, v.text FROM lasting_value v
                JOIN unnest($2::text[], $3::text[]) AS saved (owner, name) USING (owner, name) WHERE uid = $1
                """,
                names
            )
            try transaction.queue(
                """
                SELECT coalesce(sum(octet_length(text) + octet_length(owner) + octet_length(name)), 0)::bigint AS size
                FROM lasting_value v WHERE uid = $1 AND NOT \(Self.isAside("v")) AND (owner, name) NOT IN (
                    SELECT owner, name FROM unnest($2::text[], $3::text[]) AS saved (owner, name)
                )
                """,
                names
            )
            let results = Array(try transaction.results().suffix(3))
            let stored = try SavedValue.values(results[1])
            let newer = changes.filter { $0.isOlder(than: stored[$0.key]) }.map(\.key)
            let saved = changes.filter { !$0.isOlder(than: stored[$0.key]) }.map {
                SavedValue(key: $0.key, text: $0.text)
            }
            let kept = newer.map { SavedValue(key: $0, text: stored[$0]) }
            let size = (saved + kept).filter { $0.text != nil }
                .reduce(try results[2].first?.integer("size") ?? 0) { $0 + $1.bytes }
            guard size <= limit else { throw SavedStateTooLarge(limit: limit) }
            try transaction.queue(
                saved.statements(in: "lasting_value", "uid", "$1::bigint", [.integer(area.number)])
            )
            return (stored.filter { newer.contains($0.key) }, results[0])
        }
        try database.feed.changed(raised, .values)
        return newer
    }
}

extension SavedValue {
    /// The bytes that count for the limit.
    var bytes: Int { key.isCounted ? key.owner.utf8.count + key.name.utf8.count + (text?.count ?? 0) : 0 }
}

extension [SavedValue] {
    /// Returns the statements that store or erase the values in a table, whose `column` has the owner's `number`.
    ///
    /// The number is an expression with `parameters`. Nothing is stored if it is null.
    func statements(
        in table: String,
        _ column: String,
        _ number: String,
        _ parameters: [SQLValue]
    ) -> [SQLStatement] {
        let first = parameters.count + 1
        let (erased, stored) = (filter { $0.text == nil }, filter { $0.text != nil })
        func names(_ values: [SavedValue]) -> [SQLValue] {
            [.texts(values.map(\.key.owner)), .texts(values.map(\.key.name))]
        }
        var all: [SQLStatement] = []
        if !erased.isEmpty {
            all.append(
                (
                    """
                    DELETE FROM \(table) v USING unnest($\(first)::text[], $\(first + 1)::text[]) AS erased (owner, name)
                    WHERE v.\(column) = \(number) AND v.owner = erased.owner AND v.name = erased.name
                    """,
                    parameters + names(erased)
                )
            )
        }
        if !stored.isEmpty {
            all.append(
                (
                    """
                    INSERT INTO \(table) (\(column), owner, name, text) SELECT \(number), owner, name, text
                    FROM unnest($\(first)::text[], $\(first + 1)::text[], $\(first + 2)::bytea[])
                    AS stored (owner, name, text) WHERE \(number) IS NOT NULL
                    ON CONFLICT (\(column), owner, name) DO UPDATE SET text = excluded.text
                    """,
                    parameters + names(stored) + [.byteStrings(stored.map(\.text))]
                )
            )
        }
        return all
    }
}

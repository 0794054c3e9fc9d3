import Synchronization
import ViewModelHost
import ViewModelStorage

/// The nodes on which named sessions live, as rows of the database.
final class SessionOwners: Sendable {
    private let database: SharedDatabase
    /// The fences of the sessions that this boot has claimed.
    private let held = Mutex<[SessionKey: SessionFence]>([:])
    /// The requests of other nodes that this node has reported.
    private let reported = Mutex<Set<String>>([])

    init(_ database: SharedDatabase) {
        self.database = database
    }

    /// Claims a session for a client and loads it, unless it lives on a node whose lease has not expired.
    ///
    /// That such a node has the session is found without touching what a blocked save may hold.
    func find(_ key: SessionKey, mayCreate: Bool, hasLeft: Bool) async throws -> SessionClaim? {
        let rows = try await database.connections.messages.rows(
            "\(Self.ownerQuery) AND o.boot <> $3 AND \(NodeLease.holds)",
            key.values + [.text(database.boot)],
            isIdempotent: true
        )
        if let row = rows.first { return .elsewhere(try SessionOwner(row)) }
        return try await claim(key, mayCreate: mayCreate, hasLeft: hasLeft, isUse: true)
    }

    /// Claims a session and loads it, unless it lives on a node whose lease has not expired.
    ///
    /// A session that lives here is claimed anew, with another fence.
    ///
    /// - Parameters:
    ///   - key: the session.
    ///   - mayCreate: whether to claim a session that is neither owned nor saved.
    ///   - hasLeft: whether to claim such a session unless its owner has closed it, because it has left its owner.
    ///   - isUse: whether the saved session counts as used now.
    /// - Returns: the outcome; nil if the session is neither owned nor saved.
    /// - Throws: `PostgresError`.
    func claim(_ key: SessionKey, mayCreate: Bool, hasLeft: Bool = false, isUse: Bool) async throws -> SessionClaim? {
        let date = Double(database.ages.now) / 1_000_000
        let results = try await database.pool.batch(
            statements(claiming: key, mayCreate: mayCreate, hasLeft: hasLeft, isUse: isUse),
            isIdempotent: true
        )
        let owners = try [results[0], results[2]].map { try $0.first.map { try SessionOwner($0) } }
        if let row = results[1].first {
            let fence = SessionFence(try row.integer("fence"))
            held.withLock { $0[key] = fence }
            if let former = owners[0], former.boot != database.boot { database.feed.send(.lost(former.boot)) }
            return .mine(AcquiredSession(fence: fence, saved: try Self.saved(results.suffix(3)), date: date))
        }
        if let owner = owners[1], owner.boot != database.boot { return .elsewhere(owner) }
        let isClosed = try results[3].first?.truth("is_closed") == true
        // Otherwise the session was let go, or was claimed here, between the statements.
        return owners[0] == nil && owners[1] == nil && !mayCreate && (!hasLeft || isClosed) ? nil : .retry
    }

    /// Returns the statements that claim a session and load it, in one round trip.
    private func statements(
        claiming key: SessionKey,
        mayCreate: Bool,
        hasLeft: Bool,
        isUse: Bool
    ) -> [SQLStatement] {
        let values = key.values + [.text(database.boot)]
        let owned = "SELECT FROM session_owner o WHERE o.uid = $1 AND o.name = $2 AND o.boot = $3"
        let use: SQLStatement = (
            """
            UPDATE session SET used_at = greatest(used_at, $4) WHERE uid = $1 AND name = $2 AND EXISTS (\(owned))
            """,
            values + [database.age]
        )
        return [
            (Self.ownerQuery, key.values),
            (
                """
                INSERT INTO session_owner AS o (uid, name, boot, fence)
                SELECT $1, $2, $3, nextval('fence') WHERE (
                    $4 OR $5 AND NOT EXISTS (
                        SELECT FROM session_request r WHERE r.uid = $1 AND r.name = $2 AND r.boot = $3 AND r.is_closed
                    ) OR EXISTS (SELECT FROM session WHERE uid = $1 AND name = $2)
                    OR EXISTS (SELECT FROM session_owner WHERE uid = $1 AND name = $2)
                ) AND NOT EXISTS (
                    -- The row of a living owner is not touched, because a blocked save may hold it.
                    SELECT FROM session_owner l JOIN node n ON n.boot = l.boot AND \(NodeLease.holds)
                    WHERE l.uid = $1 AND l.name = $2 AND l.boot <> $3
                )
                ON CONFLICT (uid, name) DO UPDATE SET boot = excluded.boot, fence = nextval('fence')
                WHERE o.boot = excluded.boot OR NOT EXISTS (
                    SELECT FROM node n WHERE n.boot = o.boot AND \(NodeLease.holds)
                )
                RETURNING fence
                """,
                values + [.truth(mayCreate), .truth(hasLeft)]
            ),
            (Self.ownerQuery, key.values),
            (
                "DELETE FROM session_request WHERE uid = $1 AND name = $2 AND boot = $3 RETURNING is_closed",
                values
            ),
        ] + (isUse ? [use] : []) + [
            ("SELECT FROM session WHERE uid = $1 AND name = $2 AND EXISTS (\(owned))", values),
            (
                """
                SELECT i.id, i.type, i.arguments FROM session s JOIN session_instance i ON i.session = s.session
                WHERE s.uid = $1 AND s.name = $2 AND EXISTS (\(owned)) ORDER BY i.position
                """,
                values
            ),
            (
                """
                SELECT v.owner, v.name, v.text FROM session s JOIN session_value v ON v.session = s.session
                WHERE s.uid = $1 AND s.name = $2 AND EXISTS (\(owned))
                """,
                values
            ),
        ]
    }

    /// Returns the session in the rows of the last three statements; nil if it is not saved.
    private static func saved(_ results: ArraySlice<[SQLRow]>) throws -> SavedSession? {
        let results = Array(results)
        guard !results[0].isEmpty else { return nil }
        let instances = try results[1].map { try SavedInstance($0) }
        return SavedSession(instances: instances, values: try SavedValue.values(results[2]))
    }

    /// Lets a session go, if it still lives here under this fence.
    ///
    /// - Parameters:
    ///   - key: the session.
    ///   - fence: its fence here.
    ///   - isClosed: whether the session is closed, so that nothing of it is left.
    /// - Throws: `PostgresError`.
    func release(_ key: SessionKey, under fence: SessionFence, isClosed: Bool = false) async throws {
        held.withLock { held in
            if held[key] == fence { held[key] = nil }
        }
        let owned = OwnedSession(key, fence, database.boot)
        try await database.pool.batch(
            [
                (
                    """
                    UPDATE session_request r SET is_closed = TRUE
                    WHERE r.uid = $1 AND r.name = $2 AND $5 AND EXISTS (\(OwnedSession.condition))
                    """,
                    owned.values + [.truth(isClosed)]
                ),
                ("DELETE FROM session_owner WHERE uid = $1 AND name = $2 AND boot = $3 AND fence = $4", owned.values),
                (
                    "DELETE FROM session_report WHERE uid = $1 AND name = $2 AND fence = $3",
                    key.values + [.integer(fence.number)]
                ),
                answering(key),
            ],
            isIdempotent: true
        )
    }

    /// The statement that tells the boots that have asked for a session to look at it.
    private func answering(_ key: SessionKey) -> SQLStatement {
        database.feed.sending(
            "SELECT 'answered ' || boot || ' ' || claim AS hint FROM session_request WHERE uid = $1 AND name = $2",
            key.values
        )
    }

    /// Asks an owner for a session.
    ///
    /// - Returns: false if the session has left the owner.
    func ask(_ owner: SessionOwner, for key: SessionKey, _ mode: ClaimMode, claim: Int) async throws -> Bool {
        let results = try await database.connections.messages.batch(
            [
                (
                    """
                    INSERT INTO session_request AS r (uid, name, boot, fence, mode, claim, until)
                    VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp() + interval '3 seconds')
                    ON CONFLICT (uid, name, boot) DO UPDATE SET fence = excluded.fence, mode = excluded.mode,
                        claim = excluded.claim, until = excluded.until,
                        is_closed = r.is_closed AND r.fence = excluded.fence
                    """,
                    key.values + [
                        .text(database.boot), .integer(owner.fence.number), .text(mode.rawValue), .number(claim),
                    ]
                ),
                database.feed.sending("SELECT $1 AS hint", [.text(NodeHint.asked(owner.boot).text)]),
                (
                    "SELECT FROM session_owner WHERE uid = $1 AND name = $2 AND fence = $3",
                    key.values + [.integer(owner.fence.number)]
                ),
            ],
            isIdempotent: true
        )
        return !results[2].isEmpty
    }

    /// Asks for a session no more.
    ///
    /// A request that cannot be withdrawn ends with the next claim, or with this boot.
    func withdraw(_ key: SessionKey) async {
        _ = try? await database.connections.messages.rows(
            "DELETE FROM session_request WHERE uid = $1 AND name = $2 AND boot = $3",
            key.values + [.text(database.boot)],
            isIdempotent: true
        )
    }

    /// Returns the new requests for sessions of this boot.
    func requests() async throws -> [PlacementEvent] {
        let rows = try await database.connections.messages.rows(
            """
            SELECT r.uid, r.name, r.fence, r.mode, n.name AS node, r.boot || ' ' || r.claim || ' ' || r.until AS id
            FROM session_request r JOIN session_owner o ON o.uid = r.uid AND o.name = r.name AND o.fence = r.fence
            JOIN node n ON n.boot = r.boot AND \(NodeLease.holds)
            WHERE o.boot = $1 AND NOT r.is_closed AND r.until > clock_timestamp()
            """,
            [.text(database.boot)],
            isIdempotent: true
        )
        let ids = try Set(rows.map { try $0.text("id") })
        let known = reported.withLock { reported in
            defer { reported = ids }
            return reported
        }
        return try rows.compactMap { row in
            guard !known.contains(try row.text("id")), let mode = ClaimMode(rawValue: try row.text("mode")) else {
                return nil
            }
            let key = SessionKey(uid: try row.integer("uid"), name: try row.text("name"))
            return .requested(key, SessionFence(try row.integer("fence")), mode, node: try row.text("node"))
        }
    }

    /// Records what other nodes show of a session that lives here.
    func report(_ facts: SessionFacts, of key: SessionKey, under fence: SessionFence) async throws {
        try await database.connections.messages.batch(
            [
                (
                    """
                    INSERT INTO session_report AS r (uid, name, fence, attached, instances, created, expires)
                    SELECT $1, $2, $4, $5, $6, $7, $8 WHERE EXISTS (\(OwnedSession.condition))
                    ON CONFLICT (uid, name) DO UPDATE SET fence = excluded.fence, attached = excluded.attached,
                        instances = excluded.instances, created = excluded.created, expires = excluded.expires,
                        reports = r.reports + 1 WHERE r.fence <= excluded.fence
                    """,
                    OwnedSession(key, fence, database.boot).values + [
                        .number(facts.attached), .number(facts.instances), .text(facts.created), .text(facts.expires),
                    ]
                ),
                answering(key),
            ],
            isIdempotent: true
        )
    }

    /// Returns the sessions that live on other nodes.
    ///
    /// - Parameter uid: their user; nil for all users.
    /// - Returns: the sessions with their nodes.
    /// - Throws: `PostgresError`.
    func elsewhere(of uid: UInt32?) async throws -> [RemoteSession] {
        try await database.pool.rows(
            """
            SELECT o.uid, o.name, n.name AS node, r.attached, r.instances, r.created, r.expires
            FROM session_owner o JOIN node n ON n.boot = o.boot
            LEFT JOIN session_report r ON r.uid = o.uid AND r.name = o.name AND r.fence = o.fence
            WHERE o.boot <> $1 AND \(NodeLease.holds) AND ($2::bigint IS NULL OR o.uid = $2)
            ORDER BY o.uid, o.name
            """,
            [.text(database.boot), uid.map { .number($0) } ?? .nullInteger],
            isIdempotent: true
        ).map { row in
            var facts: SessionFacts?
            if let created = try row.optionalText("created") {
                facts = SessionFacts(
                    attached: try row.integer("attached"),
                    instances: try row.integer("instances"),
                    created: created,
                    expires: try row.optionalText("expires")
                )
            }
            let key = SessionKey(uid: try row.integer("uid"), name: try row.text("name"))
            return RemoteSession(key: key, node: try row.text("node"), facts: facts)
        }
    }

    /// Returns the sessions that this boot has claimed and does not own any more, with the name of the new node.
    ///
    /// Each is returned once.
    func removeLost() async throws -> [(key: SessionKey, fence: SessionFence, node: String?)] {
        let claimed = held.withLock { $0 }
        guard !claimed.isEmpty else { return [] }
        let rows = try await database.connections.messages.rows(
            """
            SELECT o.uid, o.name, o.boot, n.name AS node FROM session_owner o LEFT JOIN node n ON n.boot = o.boot
            JOIN unnest($1::bigint[], $2::text[]) AS claimed (uid, name) ON o.uid = claimed.uid AND o.name = claimed.name
            """,
            [.integers(claimed.map { Int64($0.key.uid) }), .texts(claimed.map(\.key.name))],
            isIdempotent: true
        )
        var nodes: [SessionKey: (boot: String, node: String?)] = [:]
        for row in rows {
            let key = SessionKey(uid: try row.integer("uid"), name: try row.text("name"))
            nodes[key] = (try row.text("boot"), try row.optionalText("node"))
        }
        let lost = claimed.filter { nodes[$0.key]?.boot != database.boot }
        return held.withLock { held in
            lost.compactMap { key, fence in
                guard held[key] == fence else { return nil }
                held[key] = nil
                return (key, fence, nodes[key]?.node)
            }
        }
    }

    /// The query for the owner of a row `s` of the table `session`, if the owner's lease holds.
    static let livingOwner = """
        SELECT FROM session_owner o JOIN node n ON n.boot = o.boot AND \(NodeLease.holds)
        WHERE o.uid = s.uid AND o.name = s.name
        """

    private static let ownerQuery = """
        SELECT coalesce(n.name, '') AS node, o.boot, o.fence, coalesce(r.attached, 0) AS attached,
            coalesce(r.reports, 0) AS reports
        FROM session_owner o LEFT JOIN node n ON n.boot = o.boot
        LEFT JOIN session_report r ON r.uid = o.uid AND r.name = o.name AND r.fence = o.fence
        WHERE o.uid = $1 AND o.name = $2
        """

    /// Returns the error for a session that lives elsewhere.
    func moved(_ key: SessionKey) async throws -> SessionMoved {
        let rows = try await database.pool.rows(Self.ownerQuery, key.values, isIdempotent: true)
        return SessionMoved(to: try rows.first.map { try SessionOwner($0).node })
    }
}

/// A session that may live on this boot under a fence, in the statements of a transaction.
struct OwnedSession {
    /// The parameters 1 to 4 of the statements.
    let values: [SQLValue]

    init(_ key: SessionKey, _ fence: SessionFence, _ boot: String) {
        values = key.values + [.text(boot), .integer(fence.number)]
    }

    /// The statement that returns a row if the session lives here.
    ///
    /// It then stays here until the end of the transaction, and a take-over waits for it.
    var lock: SQLStatement { (Self.condition + " FOR SHARE", values) }

    /// The query that has a row if the session lives here.
    static let condition = "SELECT FROM session_owner WHERE uid = $1 AND name = $2 AND boot = $3 AND fence = $4"

    /// The expression of the session's number; null if it does not live here, or is not saved.
    static let number = "(SELECT session FROM session WHERE uid = $1 AND name = $2 AND EXISTS (\(condition)))"
}

extension SessionOwner {
    fileprivate init(_ row: SQLRow) throws(PostgresError) {
        self.init(
            node: try row.text("node"),
            boot: try row.text("boot"),
            fence: SessionFence(try row.integer("fence")),
            attached: try row.integer("attached"),
            reports: try row.integer("reports")
        )
    }
}

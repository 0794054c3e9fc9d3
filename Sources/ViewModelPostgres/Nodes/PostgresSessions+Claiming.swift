import ViewModelHost
import ViewModelStorage

/// A session in the statements of a claim.
enum ClaimedSession {
    /// The session lives here from now on. No earlier owner can write anything of it any more.
    case mine(AcquiredSession)
    /// The session lives on another node.
    case elsewhere(SessionOwner)
    /// The session was let go, or was claimed here, between the statements.
    case retry
}

/// The owner of a session.
struct SessionOwner {
    /// The name of its node.
    let node: String
    let boot: String
    /// The fence under which the boot owns the session.
    let fence: SessionFence
    /// The number of attached clients that the owner has reported last.
    let attached: Int
    /// The number of its reports about the session.
    let reports: Int64
}

extension PostgresSessions {
    /// Claims a session and loads it, unless it lives on a node whose lease has not expired.
    ///
    /// A session that lives here is claimed anew, with another fence.
    ///
    /// - Parameters:
    ///   - key: the session.
    ///   - mode: whether the saved session counts as used now.
    ///   - mayCreate: whether to claim a session that is neither owned nor saved.
    ///   - hasLeft: whether to claim such a session unless its owner has closed it, because it has left its owner.
    /// - Returns: the outcome; nil if the session is neither owned nor saved.
    /// - Throws: `StoreError`.
    func claim(_ key: SessionKey, _ mode: ClaimMode, mayCreate: Bool, hasLeft: Bool) async throws -> ClaimedSession? {
        // Without a lock, because a blocked save may hold the row of the owner.
        let rows = try await database.messages.rows(
            "\(Self.ownerQuery) AND o.boot <> $3 AND \(NodeLease.holds)",
            key.values + [.text(database.boot)]
        )
        if let row = rows.first { return .elsewhere(try SessionOwner(row)) }
        let date = Double(database.ages.now) / 1_000_000
        let results = try await database.pool.batch(
            statements(claiming: key, mode, mayCreate: mayCreate, hasLeft: hasLeft)
        )
        let owners = try [results[0], results[2]].map { try $0.first.map { try SessionOwner($0) } }
        if let row = results[1].first {
            let fence = SessionFence(try row.integer("fence"))
            record(fence, of: key)
            if let former = owners[0], former.boot != database.boot { database.feed.send(.lost(former.boot)) }
            return .mine(AcquiredSession(fence: fence, saved: try Self.saved(results.suffix(3)), date: date))
        }
        if let owner = owners[1], owner.boot != database.boot { return .elsewhere(owner) }
        let isClosed = try results[3].first?.truth("is_closed") == true
        return owners[0] == nil && owners[1] == nil && !mayCreate && (!hasLeft || isClosed) ? nil : .retry
    }

    /// Returns the statements that claim a session and load it, in one round trip.
    private func statements(
        claiming key: SessionKey,
        _ mode: ClaimMode,
        mayCreate: Bool,
        hasLeft: Bool
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
        ] + (mode == .close ? [] : [use]) + [
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
        let instances = try results[1].map { row in
            let (id, type) = (try row.text("id"), try row.text("type"))
            return SavedInstance(id: id, type: type, arguments: try row.optionalBytes("arguments"))
        }
        return SavedSession(instances: instances, values: try SavedValue.values(results[2]))
    }

    /// The statement that sends a hint to the boots that have asked for a session.
    func answering(_ key: SessionKey) -> SQLStatement {
        database.feed.sending(
            "SELECT 'answered ' || boot || ' ' || claim AS hint FROM session_request WHERE uid = $1 AND name = $2",
            key.values
        )
    }

    /// Asks an owner for a session.
    ///
    /// - Returns: false if the session has left the owner.
    func ask(_ owner: SessionOwner, for key: SessionKey, _ mode: ClaimMode, claim: Int) async throws -> Bool {
        let results = try await database.messages.batch(
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
            ]
        )
        return !results[2].isEmpty
    }

    /// Withdraws the request for a session.
    ///
    /// A request that cannot be withdrawn ends with the next claim, or with this boot.
    func withdraw(_ key: SessionKey) async {
        _ = try? await database.messages.rows(
            "DELETE FROM session_request WHERE uid = $1 AND name = $2 AND boot = $3",
            key.values + [.text(database.boot)]
        )
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

    func moved(_ key: SessionKey) async throws -> SessionMoved {
        let rows = try await database.pool.rows(Self.ownerQuery, key.values)
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
    fileprivate init(_ row: SQLRow) throws(StoreError) {
        self.init(
            node: try row.text("node"),
            boot: try row.text("boot"),
            fence: SessionFence(try row.integer("fence")),
            attached: try row.integer("attached"),
            reports: try row.integer("reports")
        )
    }
}

extension SessionKey {
    /// The parameters 1 and 2 of a statement about the session.
    var values: [SQLValue] { [.number(uid), .text(name)] }

    init(_ row: SQLRow) throws(StoreError) {
        self.init(uid: try row.integer("uid"), name: try row.text("name"))
    }
}

extension SavedValue {
    /// Returns the values in rows with `owner`, `name` and `text`.
    static func values(_ rows: [SQLRow]) throws(StoreError) -> [SavedValue.Key: [UInt8]] {
        var values: [SavedValue.Key: [UInt8]] = [:]
        for row in rows {
            values[Key(owner: try row.text("owner"), name: try row.text("name"))] = try row.bytes("text")
        }
        return values
    }
}

import Synchronization
import ViewModelHost
import ViewModelStorage

/// The nodes on which named sessions live, as rows of the database.
final class SessionOwners: Sendable {
    /// The owner of a session.
    struct Owner: Equatable, Sendable {
        /// The node's name.
        let node: String
        /// The id of the run of its daemon.
        let boot: String
        /// The number of attached connections that the owner has reported last.
        let attached: Int
        /// The number of its reports about the session.
        let reports: Int64
        /// The fence of the session.
        let fence: SessionFence
    }

    /// The outcome of an attempt to take a session.
    enum Taking: Equatable, Sendable {
        /// The session lives here from now on. Nothing of an earlier owner can be written any more.
        case taken(AcquiredSession)
        /// The session lives on a node whose lease has not expired.
        case livesElsewhere(Owner)
        /// The session is neither owned nor saved.
        case missing
    }

    private let database: SharedDatabase
    /// The fences of the sessions that this boot has taken.
    private let held = Mutex<[SessionKey: SessionFence]>([:])

    init(_ database: SharedDatabase) {
        self.database = database
    }

    /// Takes a session and loads it, unless it lives on a node whose lease has not expired.
    ///
    /// A session that lives here is taken anew, with another fence.
    ///
    /// - Parameters:
    ///   - key: the session.
    ///   - mayCreate: whether to take a session that is neither owned nor saved.
    ///   - isUse: whether the saved session counts as used now.
    /// - Returns: the session with its fence, or the reason why it was not taken.
    /// - Throws: `PostgresError`.
    func take(_ key: SessionKey, mayCreate: Bool, isUse: Bool) async throws -> Taking {
        let (boot, time, ages) = (database.boot, isUse ? database.age : nil, database.ages)
        typealias Attempt = (taking: Taking, former: Owner?)
        let (taking, former) = try await database.pool.transaction(isIdempotent: true) { transaction -> Attempt in
            // In one round trip with the next statement.
            try transaction.queue(Self.ownerQuery, key.values)
            try transaction.queue(
                """
                INSERT INTO session_owner AS o (uid, name, boot, fence)
                SELECT $1, $2, $3, nextval('fence') WHERE $4 OR EXISTS (SELECT FROM session WHERE uid = $1 AND name = $2)
                    OR EXISTS (SELECT FROM session_owner WHERE uid = $1 AND name = $2)
                ON CONFLICT (uid, name) DO UPDATE SET boot = excluded.boot, fence = nextval('fence'),
                    attached = NULL, instances = NULL, created = NULL, expires = NULL
                WHERE o.boot = excluded.boot OR NOT EXISTS (
                    SELECT FROM node n WHERE n.boot = o.boot AND \(NodeLease.holds)
                )
                RETURNING fence
                """,
                key.values + [.text(boot), .truth(mayCreate)]
            )
            let results = Array(try transaction.results().suffix(2))
            let former = try results[0].first.map { try Owner($0) }
            if let row = results[1].first {
                let saved = try Self.load(key, time, transaction)
                let fence = SessionFence(try row.integer("fence"))
                let date = Double(ages.now) / 1_000_000
                return (.taken(AcquiredSession(fence: fence, saved: saved, date: date)), former)
            }
            let owner = try Self.owner(key, transaction)
            if let owner, owner.boot != boot { return (.livesElsewhere(owner), former) }
            if owner == nil, !mayCreate { return (.missing, former) }
            // The session was let go, or was taken here, since the second statement began.
            throw PostgresError(.contention, "The session \(key.name) changed its node. Try again")
        }
        guard case .taken(let session) = taking else { return taking }
        held.withLock { $0[key] = session.fence }
        if let former, former.boot != boot { database.feed.announce(.taken(from: former.boot)) }
        return taking
    }

    /// Loads a session, and records a use at `time`, if it is not nil.
    private static func load(
        _ key: SessionKey,
        _ time: SQLValue?,
        _ transaction: Transaction
    ) throws -> SavedSession? {
        if let time {
            try transaction.queue(
                """
                UPDATE session SET used_at = greatest(used_at, $3) WHERE uid = $1 AND name = $2
                """,
                key.values + [time]
            )
        }
        try transaction.queue("SELECT FROM session WHERE uid = $1 AND name = $2", key.values)
        try transaction.queue(
            """
            SELECT i.id, i.type, i.arguments FROM session s JOIN session_instance i ON i.session = s.session
            WHERE s.uid = $1 AND s.name = $2 ORDER BY i.position
            """,
            key.values
        )
        try transaction.queue(
            """
            SELECT v.owner, v.name, v.text FROM session s JOIN session_value v ON v.session = s.session
            WHERE s.uid = $1 AND s.name = $2
            """,
            key.values
        )
        let results = Array(try transaction.results().suffix(3))
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
        try await database.pool.rows(
            "DELETE FROM session_owner WHERE uid = $1 AND name = $2 AND boot = $3 AND fence = $4",
            key.values + [.text(database.boot), .integer(fence.number)],
            isIdempotent: true
        )
        database.feed.announce(isClosed ? .closed(key) : .changed(key))
    }

    /// Records what other nodes show of a session that lives here.
    func report(_ facts: SessionFacts, of key: SessionKey, under fence: SessionFence) async throws {
        try await database.pool.rows(
            """
            UPDATE session_owner SET attached = $5, instances = $6, created = $7, expires = $8, reports = reports + 1
            WHERE uid = $1 AND name = $2 AND boot = $3 AND fence = $4
            """,
            key.values + [
                .text(database.boot), .integer(fence.number), .number(facts.attached), .number(facts.instances),
                .text(facts.created), .text(facts.expires),
            ],
            isIdempotent: true,
            limit: .seconds(1)
        )
        database.feed.announce(.changed(key))
    }

    /// Returns the sessions that live on other nodes.
    ///
    /// - Parameter uid: their user; nil for all users.
    /// - Returns: the sessions with their nodes.
    /// - Throws: `PostgresError`.
    func elsewhere(of uid: UInt32?) async throws -> [RemoteSession] {
        try await database.pool.rows(
            """
            SELECT o.uid, o.name, n.name AS node, o.attached, o.instances, o.created, o.expires
            FROM session_owner o JOIN node n ON n.boot = o.boot
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

    /// Returns the sessions that this boot has taken and does not own any more, with the name of the new node.
    ///
    /// Each is returned once.
    func takeLost() async throws -> [(key: SessionKey, fence: SessionFence, node: String?)] {
        let taken = held.withLock { $0 }
        guard !taken.isEmpty else { return [] }
        let rows = try await database.pool.rows(
            """
            SELECT o.uid, o.name, o.boot, n.name AS node FROM session_owner o LEFT JOIN node n ON n.boot = o.boot
            JOIN unnest($1::bigint[], $2::text[]) AS taken (uid, name) ON o.uid = taken.uid AND o.name = taken.name
            """,
            [.integers(taken.map { Int64($0.key.uid) }), .texts(taken.map(\.key.name))],
            isIdempotent: true
        )
        var nodes: [SessionKey: (boot: String, node: String?)] = [:]
        for row in rows {
            let key = SessionKey(uid: try row.integer("uid"), name: try row.text("name"))
            nodes[key] = (try row.text("boot"), try row.optionalText("node"))
        }
        let lost = taken.filter { nodes[$0.key]?.boot != database.boot }
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
        SELECT coalesce(n.name, '') AS node, o.boot, coalesce(o.attached, 0) AS attached, o.reports, o.fence
        FROM session_owner o LEFT JOIN node n ON n.boot = o.boot WHERE o.uid = $1 AND o.name = $2
        """

    private static func owner(_ key: SessionKey, _ transaction: Transaction) throws -> Owner? {
        try transaction.rows(ownerQuery, key.values).first.map { try Owner($0) }
    }

    /// Checks, for the rest of the transaction, that a session lives here under a fence.
    ///
    /// A take-over waits for the end of the transaction.
    ///
    /// - Throws: `SessionMoved`.
    static func check(
        _ key: SessionKey,
        _ fence: SessionFence,
        _ boot: String,
        _ transaction: Transaction
    ) throws {
        let isOwned = ownership(key, fence, boot)
        if try transaction.rows(isOwned.sql, isOwned.values).isEmpty { throw try moved(key, transaction) }
    }

    /// The statement that returns a row if a session lives on a boot under a fence, and keeps it there.
    static func ownership(_ key: SessionKey, _ fence: SessionFence, _ boot: String) -> (sql: String, values: [SQLValue])
    {
        (
            "SELECT FROM session_owner WHERE uid = $1 AND name = $2 AND boot = $3 AND fence = $4 FOR SHARE",
            key.values + [.text(boot), .integer(fence.number)]
        )
    }

    /// The error for a session that lives elsewhere.
    static func moved(_ key: SessionKey, _ transaction: Transaction) throws -> SessionMoved {
        SessionMoved(to: try owner(key, transaction)?.node)
    }
}

extension SessionOwners.Owner {
    fileprivate init(_ row: SQLRow) throws(PostgresError) {
        self.init(
            node: try row.text("node"),
            boot: try row.text("boot"),
            attached: try row.integer("attached"),
            reports: try row.integer("reports"),
            fence: SessionFence(try row.integer("fence"))
        )
    }
}

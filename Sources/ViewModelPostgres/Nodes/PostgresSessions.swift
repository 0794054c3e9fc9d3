import Logging
import Synchronization
import ViewModelHost
import ViewModelProtocol
import ViewModelStorage

/// The sessions in the shared database, and the nodes on which they live: claims, with requests to the owners.
final class PostgresSessions: SessionPlacement {
    private struct State {
        var handler: (@Sendable (PlacementEvent) -> Void)?
        var isStopped = false
        /// The fences of the sessions that this boot has claimed.
        var fences: [SessionKey: SessionFence] = [:]
        var reported: Set<String> = []
        /// The claims, which wait for owners.
        var claims: [Int: AsyncStream<Void>.Continuation] = [:]
        var lastNumber = 0
    }

    let database: SharedDatabase
    let merged: MergedSaves
    private let keys: VaultKeys
    private let logger: Logger
    private let state = Mutex(State())

    init(_ database: SharedDatabase, _ keys: VaultKeys, logger: Logger) {
        self.database = database
        merged = MergedSaves(database)
        self.keys = keys
        self.logger = logger
    }

    func start(_ handle: @escaping @Sendable (PlacementEvent) -> Void) {
        state.withLock { $0.handler = handle }
    }

    func stopClaiming() {
        let signals = state.withLock { state in
            state.isStopped = true
            return Array(state.claims.values)
        }
        for signal in signals { signal.yield() }
    }

    func acquire(_ key: SessionKey, _ mode: ClaimMode, mayCreate: Bool) async throws -> AcquiredSession? {
        let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        // Before the first attempt, so that no answer between two attempts is missed.
        let number = state.withLock { state in
            state.lastNumber += 1
            state.claims[state.lastNumber] = signal
            return state.lastNumber
        }
        defer { state.withLock { _ = $0.claims.removeValue(forKey: number) } }
        // A successful claim has ended its request. The owner must not let the session go for any other.
        var isClaimed = false
        return try await withCleanup {
            // An owner whose lease ends does not answer either. Its session is free then.
            let deadline = Deadline(after: database.lease.duration + .seconds(3))
            // The owner when it was asked, and whether it has answered once that clients are attached.
            var asked: SessionOwner?
            var hasAnswered = false
            var hasFailed = false
            while !deadline.hasPassed {
                if state.withLock({ $0.isStopped }) { throw Self.changesNode(key) }
                do {
                    // A session of which nothing is saved has no owner once it has left its node. It still exists, unless
                    // its owner has closed it.
                    switch try await claim(key, mode, mayCreate: mayCreate, hasLeft: asked != nil) {
                    case .mine(let session):
                        isClaimed = true
                        return session
                    case nil: return nil
                    case .retry: try await Task.sleep(for: .milliseconds(1))
                    case .elsewhere(let owner):
                        // What the owner has reported before the request may be old: its clients have left, or it is
                        // dead.
                        if asked?.fence != owner.fence { (asked, hasAnswered) = (owner, false) }
                        if mode == .ifUnused, owner.attached > 0, owner.reports > asked?.reports ?? 0 {
                            if hasAnswered {
                                throw ProtocolError.sessionInUse(node: owner.node, attached: owner.attached)
                            }
                            // It is asked twice: it may not have noticed yet that the client has just closed its
                            // connection.
                            (asked, hasAnswered) = (owner, true)
                            try await Task.sleep(for: .milliseconds(100))
                        }
                        guard try await ask(owner, for: key, mode, claim: number) else { continue }
                        await Self.wait(for: signals, signal)
                    }
                } catch let error as StoreError where ["57014", "55P03"].contains(error.sqlState) {
                    // A node that was cut off in a save holds the row until the server notices it.
                } catch let error as StoreError
                    where error.kind == .unavailable && !error.isOverload && !error.isContention && !hasFailed
                {
                    // The connection may be dead since the network was cut. The next attempt has another one.
                    hasFailed = true
                }
            }
            logger.warning(
                "A node did not let go of a session in time",
                metadata: ["node": "\(asked?.node ?? "unknown")", "session": "\(key.name)", "uid": "\(key.uid)"]
            )
            throw Self.changesNode(key)
        } cleanUp: {
            if !isClaimed { await withdraw(key) }
        }
    }

    /// The error for a session that changes its owner, or whose owner does not answer.
    private static func changesNode(_ key: SessionKey) -> StoreError {
        StoreError(.unavailable, "The session \(key.name)", "changes its node")
    }

    /// Waits for the answer of another node, but no longer than a second.
    private static func wait(for signals: AsyncStream<Void>, _ signal: AsyncStream<Void>.Continuation) async {
        let timer = Task {
            guard (try? await Task.sleep(for: .seconds(1))) != nil else { return }
            signal.yield()
        }
        for await _ in signals { break }
        timer.cancel()
    }

    func release(_ key: SessionKey, under fence: SessionFence) async throws {
        try await release(key, under: fence, isClosed: false)
    }

    /// Ends the ownership, for a closed session with nothing left of it.
    func release(_ key: SessionKey, under fence: SessionFence, isClosed: Bool) async throws(StoreError) {
        _ = forget(key, fence)
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
            ]
        )
    }

    func report(_ summary: SessionSummary, of key: SessionKey, under fence: SessionFence) async throws {
        try await database.messages.batch(
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
                        .number(summary.attached), .number(summary.instances), .text(summary.created),
                        summary.expires.map { .text($0) } ?? .null,
                    ]
                ),
                answering(key),
            ]
        )
    }

    func sessionsElsewhere(of uid: UInt32?) async throws -> [RemoteSession] {
        try await database.pool.rows(
            """
            SELECT o.uid, o.name, n.name AS node, r.attached, r.instances, r.created, r.expires
            FROM session_owner o JOIN node n ON n.boot = o.boot
            LEFT JOIN session_report r ON r.uid = o.uid AND r.name = o.name AND r.fence = o.fence
            WHERE o.boot <> $1 AND \(NodeLease.holds) AND ($2::bigint IS NULL OR o.uid = $2)
            ORDER BY o.uid, o.name
            """,
            [.text(database.boot), uid.map { .number($0) } ?? .null]
        ).map { row in
            var summary: SessionSummary?
            if let created = try row.optionalText("created") {
                summary = SessionSummary(
                    attached: try row.integer("attached"),
                    instances: try row.integer("instances"),
                    created: created,
                    expires: try row.optionalText("expires")
                )
            }
            return RemoteSession(key: try SessionKey(row), node: try row.text("node"), summary: summary)
        }
    }

    func digest(of text: [UInt8]) -> [UInt8] { keys.digest(of: text) }

    var digestKey: [UInt8] { Array(keys.current.id.utf8) }

    func record(_ fence: SessionFence, of key: SessionKey) {
        state.withLock { $0.fences[key] = fence }
    }
}

/// The events of sessions that live here.
extension PostgresSessions {
    /// Handles a hint of another node, or of this one; nil if hints may have been lost.
    func receive(_ hint: NodeHint?) async {
        switch hint {
        case .asked(database.boot): await reportRequests()
        case .answered(database.boot, let claim): state.withLock { $0.claims[claim] }?.yield()
        case .lost(database.boot): await reportLost()
        case nil:
            await reportRequests()
            await reportLost()
        default: break
        }
    }

    /// Reports the new requests for sessions of this boot.
    private func reportRequests() async {
        do {
            let rows = try await database.messages.rows(
                """
                SELECT r.uid, r.name, r.fence, r.mode, n.name AS node, r.boot || ' ' || r.claim || ' ' || r.until AS id
                FROM session_request r JOIN session_owner o ON o.uid = r.uid AND o.name = r.name AND o.fence = r.fence
                JOIN node n ON n.boot = r.boot AND \(NodeLease.holds)
                WHERE o.boot = $1 AND NOT r.is_closed AND r.until > clock_timestamp()
                """,
                [.text(database.boot)]
            )
            let ids = try Set(rows.map { try $0.text("id") })
            let known = state.withLock { state in
                defer { state.reported = ids }
                return state.reported
            }
            for row in rows where try !known.contains(row.text("id")) {
                guard let mode = ClaimMode(rawValue: try row.text("mode")) else { continue }
                let fence = SessionFence(try row.integer("fence"))
                report(.requested(try SessionKey(row), fence, mode, node: try row.text("node")))
            }
        } catch {
            // The other nodes ask again.
            logger.debug("The requests of other nodes could not be read", metadata: ["error": "\(error)"])
        }
    }

    /// Compares the sessions of this boot with the database, and reports each that was taken over once.
    func reportLost() async {
        let claimed = state.withLock { $0.fences }
        guard !claimed.isEmpty else { return }
        do {
            let rows = try await database.messages.rows(
                """
                SELECT o.uid, o.name, o.boot, n.name AS node FROM session_owner o LEFT JOIN node n ON n.boot = o.boot
                JOIN unnest($1::bigint[], $2::text[]) AS claimed (uid, name) ON o.uid = claimed.uid AND o.name = claimed.name
                """,
                [.integers(claimed.map { Int64($0.key.uid) }), .texts(claimed.map(\.key.name))]
            )
            var owners: [SessionKey: (boot: String, node: String?)] = [:]
            for row in rows { owners[try SessionKey(row)] = (try row.text("boot"), try row.optionalText("node")) }
            for (key, fence) in claimed where owners[key]?.boot != database.boot && forget(key, fence) {
                report(.lost(key, fence, node: owners[key]?.node))
            }
        } catch {
            logger.warning("The owners of sessions could not be read", metadata: ["error": "\(error)"])
        }
    }

    /// Forgets that this boot has claimed a session; returns false if it has claimed it anew, or not at all.
    private func forget(_ key: SessionKey, _ fence: SessionFence) -> Bool {
        state.withLock { state in
            guard state.fences[key] == fence else { return false }
            state.fences[key] = nil
            return true
        }
    }

    private func report(_ event: PlacementEvent) {
        let handler = state.withLock { $0.handler }
        handler?(event)
    }
}

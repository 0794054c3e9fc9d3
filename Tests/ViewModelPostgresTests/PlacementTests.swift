import Logging
import PostgresSupport
import Synchronization
import TestSupport
import Testing
import ViewModelHost
import ViewModelProtocol
import ViewModelStorage

@testable import ViewModelPostgres

@Suite(.postgres) struct PlacementTests {
    private let desk = SessionKey(uid: 1000, name: "desk")

    private func session(_ claim: AcquiredSession?) throws -> AcquiredSession { try #require(claim) }

    private func changes(_ text: String, _ fence: SessionFence) -> SessionChanges {
        let value = SavedValue(key: SavedValue.Key(owner: "lab", name: "text"), text: Array(text.utf8))
        return SessionChanges(key: desk, fence: fence, values: [value])
    }

    private func text(_ session: AcquiredSession) -> String? {
        session.saved?.values.values.first.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Reports a summary of the desk, again if a busy machine exceeds the second that a report has.
    private func report(_ summary: SessionSummary, under fence: SessionFence, by node: Farm.Node) async throws {
        while true {
            do {
                return try await node.storage.nodes.report(summary, of: desk, under: fence)
            } catch let error as StoreError where error.isUnavailable {}
        }
    }

    @Test func `a session moves when its owner lets it go, with all that was saved`() async throws {
        let farm = try await Farm()
        let (a, b) = (try await farm.start("a"), try await farm.start("b"))
        let desk = desk
        let old = try session(await a.storage.nodes.acquire(desk, .ifUnused, mayCreate: true))
        #expect(old.saved == nil)
        // The owner saves and releases when it is asked.
        async let owner: Void = {
            for await event in a.events {
                guard case .requested(let key, let fence, let mode, let node) = event else { continue }
                #expect(key == desk && fence == old.fence && mode == .move && node == "b")
                try await a.storage.sessions.save(changes("from a", fence))
                return try await a.storage.nodes.release(key, under: fence)
            }
        }()
        let new = try session(await b.storage.nodes.acquire(desk, .move, mayCreate: true))
        try await owner
        #expect(text(new) == "from a")
        #expect(new.fence.number > old.fence.number)
        let error = await #expect(throws: SessionMoved.self) {
            try await a.storage.sessions.save(changes("late", old.fence))
        }
        #expect(error?.node == "b")
        await #expect(throws: SessionMoved.self) { try await a.storage.sessions.erase(desk, under: old.fence) }
        // A release under an old fence does nothing.
        try await a.storage.nodes.release(desk, under: old.fence)
        try await b.storage.sessions.save(changes("from b", new.fence))
        for node in [a, b] { try await node.stop() }
    }

    @Test func `a session with clients is occupied, unless it must move`() async throws {
        let farm = try await Farm()
        let (a, b) = (try await farm.start("a"), try await farm.start("b"))
        let fence = try session(await a.storage.nodes.acquire(desk, .ifUnused, mayCreate: true)).fence
        var summary = SessionSummary(attached: 2, instances: 3, created: "2026-01-01T00:00:00Z", expires: nil)
        try await report(summary, under: fence, by: a)
        let remote = RemoteSession(key: desk, node: "a", summary: summary)
        #expect(try await b.storage.nodes.sessionsElsewhere(of: 1000) == [remote])
        #expect(try await b.storage.nodes.sessionsElsewhere(of: nil) == [remote])
        #expect(try await b.storage.nodes.sessionsElsewhere(of: 1001).isEmpty)
        #expect(try await a.storage.nodes.sessionsElsewhere(of: nil).isEmpty)
        // What the owner answers counts, and not what it has reported before: a number of clients, or nil for a release.
        let answer = Mutex<Int?>(nil)
        let owner = Task { [desk, summary] in
            for await case .requested in a.events {
                if let attached = answer.withLock({ $0 }) {
                    var summary = summary
                    summary.attached = attached
                    try await report(summary, under: fence, by: a)
                } else {
                    try await a.storage.nodes.release(desk, under: fence)
                }
            }
        }
        for (before, after) in [(2, 2), (0, 1)] {
            summary.attached = before
            try await report(summary, under: fence, by: a)
            answer.withLock { $0 = after }
            await #expect(throws: ProtocolError.sessionInUse(node: "a", attached: after)) {
                try await b.storage.nodes.acquire(desk, .ifUnused, mayCreate: true)
            }
        }
        answer.withLock { $0 = nil }
        let taken = try session(await b.storage.nodes.acquire(desk, .ifUnused, mayCreate: true))
        #expect(taken.fence.number > fence.number)
        owner.cancel()
        await #expect(throws: SessionMoved.self) { try await a.storage.claimAtOnce(desk) }
        for node in [a, b] { try await node.stop() }
    }

    @Test(arguments: [ClaimMode.move, .close])
    func `a session of which nothing is saved moves, unless its owner closes it meanwhile`(mode: ClaimMode) async throws
    {
        let farm = try await Farm()
        let (a, b) = (try await farm.start("a"), try await farm.start("b"))
        let first = try session(await a.storage.nodes.acquire(desk, .ifUnused, mayCreate: true))
        let owner = Task {
            // On a busy machine the other node asks more than once.
            for await case .requested(let key, let fence, _, _) in a.events {
                if fence != first.fence { return try await a.storage.sessions.erase(key, under: fence) }
                try? await a.storage.nodes.release(key, under: fence)
            }
        }
        let moved = try session(await b.storage.nodes.acquire(desk, mode, mayCreate: false))
        #expect(moved.saved == nil)
        try await b.storage.nodes.release(desk, under: moved.fence)
        let again = try session(await a.storage.nodes.acquire(desk, .ifUnused, mayCreate: true))
        try await a.storage.sessions.save(changes("from a", again.fence))
        #expect(try await b.storage.nodes.acquire(desk, mode, mayCreate: false) == nil)
        try await owner.value
        for node in [a, b] { try await node.stop() }
    }

    @Test func `a dead node's session is taken over after its lease`() async throws {
        let farm = try await Farm()
        let a = try await farm.start("a") { $0.leaseDuration = .seconds(1) }
        let b = try await farm.start("b")
        let old = try session(await a.storage.nodes.acquire(desk, .ifUnused, mayCreate: true))
        try await a.storage.sessions.save(changes("acknowledged", old.fence))
        // The dead node does not answer, so its clients do not count.
        let summary = SessionSummary(attached: 1, instances: 1, created: "2026-01-01T00:00:00Z", expires: nil)
        try await report(summary, under: old.fence, by: a)
        await a.freeze()
        // The last lease lasts for a second at most. The claim waits for its end.
        let new = try session(await b.storage.nodes.acquire(desk, .ifUnused, mayCreate: true))
        #expect(text(new) == "acknowledged")
        // A zombie cannot write.
        await #expect(throws: SessionMoved.self) { try await a.storage.sessions.save(changes("zombie", old.fence)) }
        await a.storage.abandon()
        try await b.stop()
    }

    @Test func `a node that comes back learns which sessions were taken over`() async throws {
        let farm = try await Farm()
        let (a, b) = (try await farm.start("a"), try await farm.start("b"))
        let sofa = SessionKey(uid: 1000, name: "sofa")
        let old = try session(await a.storage.nodes.acquire(desk, .ifUnused, mayCreate: true))
        let kept = try session(await a.storage.nodes.acquire(sofa, .ifUnused, mayCreate: true))
        try await farm.expire(a.storage)
        _ = try session(await b.storage.nodes.acquire(desk, .ifUnused, mayCreate: true))
        for await event in a.events {
            guard case .lost(let key, let fence, let node) = event else { continue }
            #expect(key == desk && fence == old.fence && node == "b")
            break
        }
        // What nobody took is still here.
        #expect(try await a.storage.lease.renew())
        let value = SavedValue(key: SavedValue.Key(owner: "", name: "x"), text: Array("1".utf8))
        try await a.storage.sessions.save(SessionChanges(key: sofa, fence: kept.fence, values: [value]))
        for node in [a, b] { try await node.stop() }
    }

    @Test func `one of many nodes takes over a dead node's session`() async throws {
        let farm = try await Farm()
        let dead = try await farm.open("dead")
        _ = try await dead.claimAtOnce(desk)
        await dead.abandon()
        try await farm.expire(dead)
        let desk = desk
        var nodes: [PostgresStorage] = []
        for name in ["a", "b", "c", "d"] { nodes.append(try await farm.open(name)) }
        let successes = await withTaskGroup(of: Bool.self) { group in
            for node in nodes {
                group.addTask { (try? await node.claimAtOnce(desk)) != nil }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(successes == 1)
        for node in nodes { try await node.close() }
    }

    @Test func `a take-over waits for a write that has passed its check`() async throws {
        let farm = try await Farm()
        let (a, b) = (try await farm.open("a"), try await farm.open("b"))
        let old = try #require(await a.claimAtOnce(desk))
        try await farm.expire(a)
        let (checks, isChecked) = AsyncStream.makeStream(of: Void.self)
        let desk = desk
        async let write: Void = a.database.pool.transaction { transaction in
            let owned = OwnedSession(desk, old.fence, a.lease.boot).lock
            guard try !transaction.rows(owned.sql, owned.values).isEmpty else { throw SessionMoved() }
            isChecked.yield()
            // The server shows when the take-over waits for this transaction.
            var isAwaited = false
            while !isAwaited {
                let rows = try transaction.rows(
                    """
                    SELECT EXISTS (
                        SELECT FROM pg_locks WHERE NOT granted AND transactionid = pg_current_xact_id()::xid
                    ) AS is_awaited
                    """
                )
                isAwaited = try rows.first?.truth("is_awaited") ?? false
            }
            try transaction.queue("INSERT INTO lasting_value VALUES (1, '', 'text', 'written')")
        }
        for await _ in checks { break }
        let new = try #require(await b.claimAtOnce(desk))
        try await write
        #expect(new.fence.number > old.fence.number)
        #expect(try await farm.pool.rows("SELECT FROM lasting_value").count == 1)
        for node in [a, b] { try await node.close() }
    }

    @Test func `a session that is neither owned nor saved is missing, and leaves nothing behind`() async throws {
        let farm = try await Farm()
        let a = try await farm.start("a")
        #expect(try await a.storage.nodes.acquire(desk, .close, mayCreate: false) == nil)
        #expect(try await farm.pool.rows("SELECT FROM session_owner").isEmpty)
        let fence = try session(await a.storage.nodes.acquire(desk, .ifUnused, mayCreate: true)).fence
        try await a.storage.sessions.save(changes("x", fence))
        try await a.storage.sessions.erase(desk, under: fence)
        #expect(try await farm.pool.rows("SELECT FROM session_owner").isEmpty)
        #expect(try await a.storage.nodes.acquire(desk, .close, mayCreate: false) == nil)
        try await a.stop()
    }

    @Test func `a claim ends when the node stops, or when the owner does not answer`() async throws {
        let farm = try await Farm()
        let a = try await farm.start("a")
        let b = try await farm.start("b") { $0.leaseDuration = .milliseconds(300) }
        _ = try await a.storage.nodes.acquire(desk, .ifUnused, mayCreate: true)
        // The owner's lease is long, and nobody handles its events.
        let error = await #expect(throws: StoreError.self) {
            try await b.storage.nodes.acquire(desk, .move, mayCreate: true)
        }
        #expect(error?.isUnavailable == true)
        let c = try await farm.start("c")
        let claim = Task { try await c.storage.nodes.acquire(self.desk, .move, mayCreate: true) }
        for await event in a.events {
            if case .requested(_, _, _, let node) = event, node == "c" { break }
        }
        c.storage.nodes.stopClaiming()
        await #expect(throws: StoreError.self) { try await claim.value }
        for node in [a, b, c] { try await node.stop() }
    }

    @Test func `a request that its claim has left behind is not answered`() async throws {
        let farm = try await Farm()
        let (a, b) = (try await farm.start("a"), try await farm.start("b"))
        let fence = try session(await a.storage.nodes.acquire(desk, .ifUnused, mayCreate: true)).fence
        func ask(_ mode: ClaimMode, until seconds: Double) async throws {
            try await farm.pool.rows(
                """
                INSERT INTO session_request VALUES ($1, $2, $3, $4, $5, 1, clock_timestamp() + make_interval(secs => $6))
                ON CONFLICT (uid, name, boot) DO UPDATE SET mode = excluded.mode, until = excluded.until
                """,
                desk.values + [
                    .text(b.storage.lease.boot), .integer(fence.number), .text(mode.rawValue), .real(seconds),
                ]
            )
            a.storage.database.feed.send(.asked(a.storage.lease.boot))
        }
        try await ask(.close, until: -1)
        try await ask(.move, until: 60)
        for await case .requested(_, _, let mode, _) in a.events {
            #expect(mode == .move)
            break
        }
        for node in [a, b] { try await node.stop() }
    }

    @Test func `a node that stops lets go of its sessions and items at once`() async throws {
        let farm = try await Farm()
        let (a, b) = (try await farm.start("a"), try await farm.open("b"))
        _ = try await a.storage.nodes.acquire(desk, .ifUnused, mayCreate: true)
        _ = try await a.storage.outbox.add("text", of: 1000)
        #expect(try await a.storage.outbox.claim(nil, of: 1000) != nil)
        #expect(try await b.outbox.claim(nil, of: 1000) == nil)
        try await a.stop()
        #expect(try await b.claimAtOnce(desk) != nil)
        #expect(try await b.outbox.claim(nil, of: 1000)?.text == "text")
        try await b.close()
    }

    @Test func `a restarted node takes its sessions and items back at once, and its zombie cannot write`() async throws
    {
        let farm = try await Farm()
        let old = try await farm.open("a")
        let fence = try #require(await old.claimAtOnce(desk)).fence
        _ = try await old.outbox.add("text", of: 1000)
        let claimed = try #require(await old.outbox.claim(nil, of: 1000))
        let new = try await farm.open("a")
        #expect(try await new.claimAtOnce(desk) != nil)
        #expect(try await new.outbox.claim(nil, of: 1000)?.id == claimed.id)
        #expect(try await !old.lease.renew())
        await #expect(throws: SessionMoved.self) { try await old.sessions.save(changes("zombie", fence)) }
        #expect(try await old.outbox.finish(claimed.id, of: 1000, .sent) == nil)
        #expect(try await new.outbox.finish(claimed.id, of: 1000, .sent) != nil)
        await old.abandon()
        try await new.close()
    }
}

import Logging
import PostgresSupport
import Synchronization
import Testing
import ViewModelHost
import ViewModelStorage

@testable import ViewModelPostgres

/// What goes on while others hold locks, or ask for more than the connections can do.
@Suite(.postgres, .timeLimit(.minutes(5))) struct LockTests {
    /// Holds the locks of a statement until the task is cancelled, and returns when it has them.
    private func lock(_ statement: String, of pool: ConnectionPool) async -> Task<Void, any Error> {
        let (locks, isLocked) = AsyncStream.makeStream(of: Void.self)
        let isOver = Flag()
        let task = Task {
            try await withTaskCancellationHandler {
                try await pool.transaction(limit: .seconds(60)) { transaction in
                    try transaction.rows(statement)
                    isLocked.yield()
                    while !isOver.isSet { _ = try transaction.rows("SELECT pg_sleep(0.01)") }
                }
            } onCancel: {
                isOver.set()
            }
        }
        for await _ in locks { break }
        return task
    }

    @Test func `neither the lease nor a report waits for locks that hold all other connections`() async throws {
        let farm = try await Farm()
        let node = try await farm.open("a") {
            $0.settings.maximumConnections = 2
            // Longer than the test, so that only the end of the lock frees a connection.
            ($0.settings.statementLimit, $0.settings.transactionLimit) = (.seconds(100), .seconds(100))
        }
        let key = SessionKey(uid: 1, name: "desk")
        let session = try #require(await node.claimAtOnce(key))
        let locking = await lock("LOCK TABLE session, vault, store", of: farm.pool)
        let value = SavedValue(key: SavedValue.Key(owner: "", name: "x"), text: Array("1".utf8))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number: UInt32 in 1...4 {
                group.addTask {
                    try await node.sessions.save(SessionChanges(key: key, fence: session.fence, values: [value]))
                }
                group.addTask { try await node.vaultRecords.remove(of: number, provider: "p") }
            }
            // The server shows when the connections wait.
            var waiting = 0
            while waiting < 2 {
                let rows = try await farm.pool.rows(
                    "SELECT count(*) AS waiting FROM pg_locks WHERE NOT granted AND relation IN ('session'::regclass, 'vault'::regclass)"
                )
                waiting = try rows.first?.integer("waiting") ?? 0
            }
            #expect(try await node.lease.renew())
            let summary = SessionSummary(attached: 1, instances: 1, created: "2026-01-01T00:00:00Z", expires: nil)
            try await node.nodes.report(summary, of: key, under: session.fence)
            locking.cancel()
            try await group.waitForAll()
        }
        try await node.close()
    }

    @Test func `sessions that are saved together neither wait for a locked one nor fail with one that is too large`()
        async throws
    {
        let farm = try await Farm()
        let node = try await farm.open("a")
        var bounds = StoreBounds()
        bounds.savedBytes = 100
        node.adopt(bounds)
        let keys = (1...20).map { SessionKey(uid: 1, name: "desk \($0)") }
        @Sendable func save(
            _ bytes: Int,
            _ key: SessionKey,
            _ fence: SessionFence,
            number: Int64 = 2,
            isComplete: Bool = false
        ) async throws {
            let text = [UInt8](repeating: 0x31, count: bytes)
            let values = [SavedValue(key: SavedValue.Key(owner: "", name: "x"), text: text)]
            let changes = SessionChanges(
                key: key,
                fence: fence,
                number: number,
                values: values,
                isComplete: isComplete
            )
            try await node.sessions.save(changes)
        }
        var fences: [SessionFence] = []
        for key in keys {
            let fence = try #require(await node.claimAtOnce(key)).fence
            try await save(1, key, fence, number: 0, isComplete: true)
            fences.append(fence)
        }
        let locking = await lock("SELECT FROM session_owner WHERE name = 'desk 1' FOR UPDATE", of: farm.pool)
        let (lockedKey, lockedFence) = (keys[0], fences[0])
        async let locked: Void = save(50, lockedKey, lockedFence)
        var refused = 0
        await withTaskGroup(of: (any Error)?.self) { group in
            for (key, fence) in zip(keys, fences).dropFirst() {
                group.addTask {
                    do {
                        try await save(key.name == "desk 2" ? 200 : 50, key, fence)
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            for await error in group where error != nil {
                #expect(error is SavedStateTooLarge)
                refused += 1
            }
        }
        #expect(refused == 1)
        locking.cancel()
        try await locked
        // Earlier saves that arrive late change nothing.
        await withTaskGroup(of: Void.self) { group in
            for (key, fence) in zip(keys, fences) {
                group.addTask { try? await save(10, key, fence, number: 1) }
            }
        }
        let sizes = try await farm.pool.rows("SELECT bytes FROM session ORDER BY bytes").map { row in
            try row.integer("bytes") as Int
        }
        // The one whose second save was too large has the first one.
        #expect(sizes == [11] + [Int](repeating: 51, count: 19))
        try await node.close()
    }

    @Test func `callers that cannot be served in time are refused at once, and the connection stays`() async throws {
        let pool = try await PostgresServer.shared().pool {
            $0.maximumConnections = 1
            $0.transactionLimit = .seconds(2)
        }
        func process() async throws -> Int {
            try #require(await pool.rows("SELECT pg_backend_pid() AS pid").first).integer("pid")
        }
        let former = try await process()
        // The pool learns how long they take.
        for _ in 0..<4 { try await pool.rows("SELECT pg_sleep(0.2)") }
        let (served, refused) = await withTaskGroup(of: StoreError?.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    do {
                        try await pool.rows("SELECT pg_sleep(0.2)")
                        return nil
                    } catch {
                        return error as? StoreError
                    }
                }
            }
            return await group.reduce(into: (0, 0)) { counts, error in
                if error == nil { counts.0 += 1 }
                if error?.isOverload == true { counts.1 += 1 }
            }
        }
        #expect(served > 0 && refused > 50, "\(served) were served, \(refused) refused")
        #expect(try await process() == former)
        #expect(pool.health.isHealthy)
    }
}

/// A flag that is set once.
private final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }

    func set() { value.store(true, ordering: .releasing) }
}

import Dispatch
import Logging
import PostgresSupport
import Testing
import ViewModelStorage

@testable import ViewModelPostgres

@Suite(.postgres) struct TransactionTests {
    private struct Stop: Error {}

    private func pool(_ change: (inout ConnectionSettings) -> Void = { _ in }) async throws -> ConnectionPool {
        let pool = try await PostgresServer.shared().pool(change)
        try await pool.rows("CREATE TABLE counter (id int PRIMARY KEY, n int NOT NULL)")
        try await pool.rows("INSERT INTO counter VALUES (1, 0), (2, 0)")
        return pool
    }

    private func count(_ pool: ConnectionPool, _ id: Int = 1) async throws -> Int {
        try #require(await pool.rows("SELECT n FROM counter WHERE id = $1::bigint", [.number(id)]).first).integer("n")
    }

    /// What a transaction does after a change, and the kind of the error of the database.
    private static let failures: [(@Sendable (Transaction) throws -> Void, StoreError.Kind?)] = [
        ({ _ in throw Stop() }, nil),
        // A body that ignores an error cannot commit.
        ({ _ = try? $0.rows("INSERT INTO counter VALUES (1, 1)") }, .failed),
        ({ try $0.queue("INSERT INTO counter VALUES (1, 1)") }, .failed),
    ]

    @Test(arguments: failures.indices)
    func `a transaction that fails changes nothing`(index: Int) async throws {
        let pool = try await pool()
        let (fail, kind) = Self.failures[index]
        let error = await #expect(throws: (any Error).self) {
            try await pool.transaction { transaction in
                try transaction.rows("UPDATE counter SET n = 7")
                try transaction.queue("UPDATE counter SET n = 8")
                try fail(transaction)
            }
        }
        #expect((error as? StoreError)?.kind == kind)
        #expect((error as? StoreError)?.isOutcomeUnknown != true)
        #expect(try await count(pool) == 0)
    }

    @Test func `of two transactions in a deadlock the loser runs again`() async throws {
        let pool = try await pool {
            $0.transactionLimit = .seconds(30)
            $0.statementLimit = .seconds(20)
        }
        let runs = Counter()
        // Both hold a row before either asks for the other one. The loser then waits for the end of the winner, before
        // its second run could meet it in another deadlock.
        let arrivals = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
        let winner = DispatchSemaphore(value: 0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (first, second) in [(1, 2), (2, 1)] {
                group.addTask {
                    try await pool.transaction { transaction in
                        let run = runs.next()
                        if run > 2 { winner.wait() }
                        try transaction.rows("UPDATE counter SET n = n + 1 WHERE id = $1", [.number(first)])
                        if run <= 2 {
                            arrivals[first - 1].signal()
                            arrivals[second - 1].wait()
                        }
                        try transaction.rows("UPDATE counter SET n = n + 1 WHERE id = $1", [.number(second)])
                    }
                    winner.signal()
                }
            }
            try await group.waitForAll()
        }
        #expect(runs.value == 3)
        #expect(try await count(pool) == 2)
        #expect(try await count(pool, 2) == 2)
    }

    @Test func `a conflict that never ends is an error after ten attempts`() async throws {
        let pool = try await pool()
        let runs = Counter()
        let error = await #expect(throws: StoreError.self) {
            try await pool.transaction(limit: .seconds(600)) { transaction in
                _ = runs.next()
                try transaction.rows("DO $$ BEGIN RAISE SQLSTATE '40001'; END $$")
            }
        }
        #expect(error?.isContention == true)
        #expect(runs.value == 10)
        #expect(pool.health.isHealthy)
    }

    @Test func `many tasks share few connections, and no update is lost`() async throws {
        let pool = try await pool {
            $0.maximumConnections = 3
            $0.transactionLimit = .seconds(60)
            $0.applicationName = "few"
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    try await pool.transaction { transaction in
                        try transaction.queue("UPDATE counter SET n = n + 1 WHERE id = 1")
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await count(pool) == 200)
        let own = try await pool.rows(
            "SELECT count(*) AS n FROM pg_stat_activity WHERE application_name = 'few'"
        )
        #expect(try #require(own.first).integer("n", as: Int.self) <= 3)
    }

    @Test func `a caller gets no connection after its time limit`() async throws {
        let pool = try await pool { $0.maximumConnections = 1 }
        let isHeld = AsyncStream.makeStream(of: Void.self)
        let mayEnd = DispatchSemaphore(value: 0)
        async let holder: Void = pool.transaction(limit: .seconds(60)) { _ in
            isHeld.continuation.yield()
            mayEnd.wait()
        }
        for await _ in isHeld.stream { break }
        let error = await #expect(throws: StoreError.self) {
            try await pool.rows("SELECT 1", limit: .milliseconds(50))
        }
        #expect(error?.isOverload == true)
        mayEnd.signal()
        try await holder
        #expect(try await count(pool) == 0)
    }

    @Test func `a statement whose answer does not come in time is cancelled on the server`() async throws {
        let pool = try await pool {
            $0.statementLimit = .seconds(300)
            $0.applicationName = "cancelled"
        }
        let other = pool.another { $0.applicationName = "observer" }
        let error = await #expect(throws: StoreError.self) {
            try await pool.rows("SELECT pg_sleep(300)", limit: .seconds(5))
        }
        #expect(error?.kind == .unavailable)
        #expect(error?.isOutcomeUnknown == true)
        // The server still has the statement until the request to cancel it has arrived.
        var isRunning = true
        while isRunning {
            let rows = try await other.rows(
                """
                SELECT count(*) AS n FROM pg_stat_activity
                WHERE application_name = 'cancelled' AND state = 'active' AND query LIKE '%pg_sleep(300)%'
                """
            )
            isRunning = try #require(rows.first).integer("n", as: Int.self) > 0
        }
        #expect(try await count(pool) == 0)
    }
}

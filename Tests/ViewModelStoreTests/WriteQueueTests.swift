import TestSupport
import GRDB
import Synchronization
import Testing

@testable import ViewModelStorage
@testable import ViewModelStore

@Suite struct WriteQueueTests {
    private struct Refusal: Error {}

    let directory: TemporaryDirectory
    let database: DatabaseFile

    init() throws {
        directory = try TemporaryDirectory()
        var configuration = StateStoreConfiguration(directory: directory.path)
        configuration.busyTimeout = .milliseconds(20)
        database = try DatabaseFile(configuration)
        try database.blockingWrite { try $0.execute(sql: "CREATE TABLE note (number INTEGER PRIMARY KEY, text TEXT)") }
    }

    private func notes() async throws -> [Int] {
        try await database.read { try Int.fetchAll($0, sql: "SELECT number FROM note ORDER BY number") }
    }

    /// Counts the transactions that begin from here on, also those that get no lock.
    private func countTransactions() async throws -> @Sendable () -> Int {
        let begun = Mutex(0)
        try await database.writeExclusively { db in
            db.trace { event in
                if "\(event)".contains("BEGIN") { begun.withLock { $0 += 1 } }
            }
        }
        return { begun.withLock { $0 } }
    }

    @Test func `writes that come while the disk is busy share a transaction`() async throws {
        let transactions = try await countTransactions()
        let gate = ManualLatch()
        async let busy: Void = database.write { _ in gate.wait() }
        await gate.someoneWaits()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    try await database.write {
                        try $0.execute(sql: "INSERT INTO note VALUES (?, 'x')", arguments: [number])
                    }
                }
            }
            // All of them wait for the busy one.
            while database.waitingWrites < 100 { await Task.yield() }
            gate.open()
            try await group.waitForAll()
        }
        try await busy

        #expect(try await notes() == Array(0..<100))
        #expect(transactions() == 2)
        try database.close()
    }

    @Test func `a write that throws leaves no trace and does not affect other writes`() async throws {
        let results = try await share { number, db in
            try db.execute(sql: "INSERT INTO note VALUES (?, 'x')", arguments: [number])
            if number == 3 { throw Refusal() }
        }
        #expect(results == [nil, nil, nil, .failed, nil, nil])
        #expect(try await notes() == [0, 1, 2, 4, 5])
        try database.close()
    }

    @Test func `an error of SQLite fails the write whose fault it is`() async throws {
        let results = try await share { number, db in
            try db.execute(sql: "INSERT INTO note VALUES (?, 'x')", arguments: [number == 4 ? 1 : number])
        }
        #expect(results == [nil, nil, nil, nil, .failed, nil])
        #expect(try await notes() == [0, 1, 2, 3, 5])
        try database.close()
    }

    @Test func `while another process holds the file, waiting writes fail together after one patience`() async throws {
        let transactions = try await countTransactions()
        let gate = ManualLatch()
        async let busy: Void = database.writeExclusively { _ in gate.wait() }
        await gate.someoneWaits()
        let kinds = try await withThrowingTaskGroup(of: StoreError.Kind?.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    try await failure { try await database.write { try $0.execute(sql: "DELETE FROM note") } }
                }
            }
            while database.waitingWrites < 100 { await Task.yield() }
            let other = try await otherProcess(directory, "BEGIN IMMEDIATE")
            gate.open()
            let kinds = try await group.reduce(into: []) { $0.append($1) }
            try other.close()
            return kinds
        }
        try await busy
        #expect(kinds == Array(repeating: .locked, count: 100))
        // Each attempt to begin a transaction waits for as long as the patience is.
        #expect(transactions() == 1)
        try database.close()
    }

    /// Runs six writes in one transaction; gives what each failed with.
    private func share(
        _ body: @escaping @Sendable (Int, Database) throws -> Void
    ) async throws -> [StoreError.Kind?] {
        let gate = ManualLatch()
        async let busy: Void = database.write { _ in gate.wait() }
        await gate.someoneWaits()
        let results = try await withThrowingTaskGroup(of: (Int, StoreError.Kind?).self) { group in
            for number in 0..<6 {
                // One after the other, so that they wait in this order.
                while database.waitingWrites < number { await Task.yield() }
                group.addTask {
                    (number, try await failure { try await database.write { try body(number, $0) } })
                }
            }
            while database.waitingWrites < 6 { await Task.yield() }
            gate.open()
            return try await group.reduce(into: [Int: StoreError.Kind?]()) { $0[$1.0] = $1.1 }
        }
        try await busy
        return results.sorted { $0.key < $1.key }.map(\.value)
    }
}

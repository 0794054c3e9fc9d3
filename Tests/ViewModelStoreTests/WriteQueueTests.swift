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
        database = try DatabaseFile(StateStoreConfiguration(directory: directory.path))
        try database.blockingWrite { try $0.execute(sql: "CREATE TABLE note (number INTEGER PRIMARY KEY, text TEXT)") }
    }

    private func notes() async throws -> [Int] {
        try await database.read { try Int.fetchAll($0, sql: "SELECT number FROM note ORDER BY number") }
    }

    @Test func `writes that come while the disk is busy share a transaction`() async throws {
        let transactions = TransactionCounter()
        try await database.write { $0.add(transactionObserver: transactions, extent: .databaseLifetime) }
        let before = transactions.count
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
        #expect(transactions.count - before <= 2)
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

    /// Runs six writes in one transaction; gives what each failed with.
    private func share(
        _ body: @escaping @Sendable (Int, Database) throws -> Void
    ) async throws -> [StoreError.Kind?] {
        let gate = ManualLatch()
        async let busy: Void = database.write { _ in gate.wait() }
        await gate.someoneWaits()
        let results = await withTaskGroup(of: (Int, StoreError.Kind?).self) { group in
            for number in 0..<6 {
                // One after the other, so that they wait in this order.
                while database.waitingWrites < number { await Task.yield() }
                group.addTask {
                    let kind = await failure { () throws(StoreError) in
                        try await database.write { try body(number, $0) }
                    }
                    return (number, kind)
                }
            }
            while database.waitingWrites < 6 { await Task.yield() }
            gate.open()
            return await group.reduce(into: [Int: StoreError.Kind?]()) { $0[$1.0] = $1.1 }
        }
        try await busy
        return results.sorted { $0.key < $1.key }.map(\.value)
    }
}

/// Counts commits.
private final class TransactionCounter: TransactionObserver, Sendable {
    private let commits = Atomic(0)

    var count: Int { commits.load(ordering: .sequentiallyConsistent) }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ db: Database) { commits.add(1, ordering: .sequentiallyConsistent) }
    func databaseDidRollback(_ db: Database) {}
}

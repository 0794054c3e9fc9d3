import Foundation
import GRDB
import PostgresSupport
import TestSupport
import Testing
import ViewModelKit
import ViewModelStorage

@testable import Accounts

@Suite(.timeLimit(.minutes(5))) struct `The outbox of a user in memory` {
    private static let uid = AccountFixture.ada
    /// Seventeen of these are more than is loaded without a session.
    private static let longText = String(repeating: "x", count: 65_000)

    /// Runs a test with a store in a directory of its own; `after` runs when the service has stopped.
    private static func run(
        _ body: (UserTable<UserOutbox>, any StateStorage, String) async throws -> Void,
        after: (any StateStorage) async throws -> Void = { _ in }
    ) async throws {
        let directory = try TemporaryDirectory()
        let logger = AccountFixture.logger
        let store = try await TestStore.open(in: directory.path, busyTimeout: .milliseconds(20), logger: logger)
        let service = AccountService(provider: NumberedProvider(), store: store, logger: logger)
        try await service.run { try await body(service.outboxes, store, directory.path) }
        try await after(store)
        try await store.close()
        withExtendedLifetime(directory) {}
    }

    /// Runs `body` while another process has the database locked.
    private static func whileLocked(_ directory: String, _ body: () async throws -> Void) async throws {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: "\(directory)/viewmodeld.sqlite", configuration: configuration)
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        try await body()
        try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    }

    /// Waits until the messages are as wanted.
    private static func wait(_ outbox: UserTable<UserOutbox>, until isWanted: (OutboxContent) -> Bool) async {
        for await _ in outbox[uid].changed.stream() where isWanted(outbox[uid].snapshot) { return }
    }

    @Test func `a large outbox is read for a session`() async throws {
        try await Self.run { outbox, store, _ in
            for _ in 0..<17 { _ = try await store.outbox.add(Self.longText, of: Self.uid) }
            await outbox[Self.uid].loadIfSmall()
            #expect(!outbox[Self.uid].snapshot.isLoaded)

            // Without a session, changes reach the store and nothing else.
            let claimed = try #require(try await outbox[Self.uid].claim())
            try await outbox[Self.uid].finish(claimed.id, .sent)
            #expect(!outbox[Self.uid].snapshot.isLoaded)

            outbox[Self.uid].use()
            await Self.wait(outbox) { $0.messages.first?.status == .sent && $0.messages.count == 17 }
            _ = try await outbox[Self.uid].add("one more")
            #expect(outbox[Self.uid].snapshot.messages.count == 18)
        }
    }

    @Test func `a small outbox is there at the first moment and stays`() async throws {
        try await Self.run { outbox, store, _ in
            _ = try await store.outbox.add("small", of: Self.uid)
            await outbox[Self.uid].loadIfSmall()
            #expect(outbox[Self.uid].snapshot.messages.map(\.text) == ["small"])
            outbox[Self.uid].use()
            _ = try await outbox[Self.uid].add("another")
            #expect(outbox[Self.uid].snapshot.messages.map(\.text) == ["small", "another"])
        }
    }

    @Test func `a full outbox names the limit`() async throws {
        try await Self.run { outbox, store, _ in
            var bounds = StoreBounds()
            (bounds.outboxItems, bounds.outboxBytes) = (1, 5)
            store.adopt(bounds)
            await #expect(throws: LimitExceeded(limit: "limits.outboxBytesPerUser", value: 5)) {
                _ = try await outbox[Self.uid].add("longer")
            }
            _ = try await outbox[Self.uid].add("short")
            await #expect(throws: LimitExceeded(limit: "limits.outboxItemsPerUser", value: 1)) {
                _ = try await outbox[Self.uid].add("")
            }
        }
    }

    @Test(.enabled(if: !TestStore.isShared, "the test locks SQLite's file"))
    func `a message that could not be given back is given back as soon as the store works`() async throws {
        try await Self.run { outbox, _, directory in
            for text in ["sent", "queued"] { _ = try await outbox[Self.uid].add(text) }
            let sent = try #require(try await outbox[Self.uid].claim())
            let queued = try #require(try await outbox[Self.uid].claim())
            try await Self.whileLocked(directory) {
                // As `SendList` does it: what became of the message, and when that fails, that it waits again.
                let outcomes: [(String, OutboxOutcome)] = [
                    (sent.id, .sent), (sent.id, .queued(problem: nil)), (queued.id, .queued(problem: nil)),
                ]
                for (id, outcome) in outcomes {
                    await #expect(throws: StoreError.self) { try await outbox[Self.uid].finish(id, outcome) }
                }
                #expect(outbox[Self.uid].snapshot.messages.map(\.status) == [.sending, .sending])
            }
            await Self.wait(outbox) { $0.messages.map(\.status) == [.sent, .queued] }
        }
    }

    @Test(.enabled(if: !TestStore.isShared, "the test locks SQLite's file"))
    func `an outcome that waits for the store is stored at a stop`() async throws {
        try await Self.run { outbox, _, directory in
            _ = try await outbox[Self.uid].add("sent")
            let sent = try #require(try await outbox[Self.uid].claim())
            try await Self.whileLocked(directory) {
                await #expect(throws: StoreError.self) { try await outbox[Self.uid].finish(sent.id, .sent) }
            }
        } after: { store in
            let items = try await store.outbox.items(of: Self.uid)
            #expect(items.map(\.status) == [.sent])
        }
    }
}

import StorageChecks
import FoundationEssentials
import TestSupport
import GRDB
import Testing

@testable import ViewModelStorage
@testable import ViewModelStore

@Suite struct OutboxTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func `an added item is there after a restart, in its place and for its user only`() async throws {
        var store = try await openStore(directory)
        let texts = ["first", "", "zero\0inside", "🧮 Grüße\n", String(repeating: "long ", count: 20_000)]
        for text in texts { try await store.outbox.add(text, of: anna) }
        try await store.close()

        store = try await openStore(directory)
        let items = try await store.outbox.items(of: anna)
        #expect(items.map(\.text) == texts)
        #expect(items.allSatisfy { $0.status == .queued && $0.attempts == 0 && $0.problem == nil })
        #expect(Set(items.map(\.id)).count == texts.count)
        #expect(items.allSatisfy { $0.id.count == 32 && $0.id.allSatisfy(\.isHexDigit) })
        #expect(try await store.outbox.items(of: ben).isEmpty)
        try await store.close()
    }

    @Test func `an item goes from queued to sent, with its attempts counted`() async throws {
        let store = try await openStore(directory)
        let id = try #require(try await store.outbox.add("hello", of: anna).item).id

        #expect(try await store.outbox.claim(of: anna)?.status == .sending)
        try await store.outbox.countAttempt(id, of: anna)
        try await store.outbox.countAttempt(id, of: anna, problem: "503")
        #expect(
            try await store.outbox.items(of: anna).first { $0.id == id }
                == OutboxItem(id: id, text: "hello", status: .sending, attempts: 2, problem: "503")
        )
        #expect(try await store.outbox.remove(id, of: anna) == .sending)
        #expect(
            try await store.outbox.finish(id, of: anna, .sent)?.item
                == OutboxItem(id: id, text: "hello", status: .sent, attempts: 2, problem: nil)
        )
        #expect(try await store.outbox.finish(id, of: anna, .failed(problem: "late")) == nil)
        #expect(try await store.outbox.claim(of: anna) == nil)
        try await store.close()
    }

    @Test func `a failed item can be tried again, once by one`() async throws {
        let store = try await openStore(directory)
        let id = try #require(try await store.outbox.add("hello", of: anna).item).id
        _ = try await store.outbox.claim(id, of: anna)
        try await store.outbox.countAttempt(id, of: anna)
        #expect(try await store.outbox.finish(id, of: anna, .failed(problem: "no"))?.item.problem == "no")

        #expect(try await store.outbox.retry(id, of: ben) == nil)
        #expect(
            try await store.outbox.retry(id, of: anna)
                == OutboxItem(id: id, text: "hello", status: .queued, attempts: 0, problem: nil)
        )
        #expect(try await store.outbox.retry(id, of: anna) == nil)
        try await store.close()
    }

    @Test func `two senders at the same time share the items`() async throws {
        let store = try await openStore(directory)
        for number in 0..<60 { try await store.outbox.add("\(number)", of: anna) }

        let shares = try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<6 {
                group.addTask {
                    var share: [String] = []
                    while let item = try await store.outbox.claim(of: anna) {
                        share.append(item.id)
                        try await store.outbox.finish(item.id, of: anna, .sent)
                    }
                    return share
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }

        #expect(shares.count == 60)
        #expect(Set(shares).count == 60)
        try await store.close()
    }

    @Test func `what was being sent when the daemon died is queued again`() async throws {
        let living = try await openStore(directory)
        let id = try #require(try await living.outbox.add("hello", of: anna).item).id
        _ = try await living.outbox.claim(of: anna)
        try await living.outbox.countAttempt(id, of: anna, problem: "503")

        let heir = try await openStore(directory.copy())
        #expect(
            try await heir.outbox.items(of: anna)
                == [OutboxItem(id: id, text: "hello", status: .queued, attempts: 1, problem: "503")]
        )
        try await heir.close()
        try await living.close()
    }

    @Test func `of the sent items those that were sent last are kept`() async throws {
        let store = try await openStore(directory)
        var ids: [String] = []
        for number in 0..<(OutboxItem.sentLimit + 4) {
            ids.append(try #require(try await store.outbox.add("\(number)", of: anna).item).id)
        }
        let waiting = try #require(try await store.outbox.add("waiting", of: anna).item).id
        let other = try #require(try await store.outbox.add("other", of: ben).item).id
        // The oldest is sent last.
        var forgotten: [String] = []
        for id in ids[1...] + [ids[0]] {
            _ = try await store.outbox.claim(id, of: anna)
            forgotten += try await store.outbox.finish(id, of: anna, .sent)?.forgotten ?? []
        }
        #expect(forgotten == Array(ids[1..<5]))
        _ = try await store.outbox.claim(other, of: ben)
        try await store.outbox.finish(other, of: ben, .sent)

        #expect(try await store.outbox.items(of: anna).map(\.id) == [ids[0]] + ids[5...] + [waiting])
        #expect(try await store.outbox.items(of: ben).map(\.id) == [other])
        try await store.close()
    }

    @Test func `there is an end to what a user can have waiting, until something is sent or removed`() async throws {
        let store = try await openStore(directory) { $0.bounds.outboxItems = 3 }
        let first = try #require(try await store.outbox.add("first", of: anna).item).id
        for text in ["second", "third"] { #expect(try await store.outbox.add(text, of: anna).item != nil) }

        #expect(try await store.outbox.add("too many", of: anna).item == nil)
        #expect(try await store.outbox.items(of: anna).count == 3)
        #expect(try await store.outbox.add("of another user", of: ben).item != nil)
        _ = try await store.outbox.claim(first, of: anna)
        #expect(try await store.outbox.add("too many", of: anna).item == nil)
        try await store.outbox.finish(first, of: anna, .sent)
        let last = try #require(try await store.outbox.add("last", of: anna).item).id
        #expect(try await store.outbox.add("too many", of: anna).item == nil)
        #expect(try await store.outbox.remove(last, of: anna) == .removed)
        #expect(try await store.outbox.add("last", of: anna).item != nil)
        try await store.close()
    }

    @Test func `the texts of what waits have an end, too, and each bound is named`() async throws {
        let store = try await openStore(directory) {
            $0.bounds.outboxItems = 3
            $0.bounds.outboxBytes = 10
        }
        let outbox = store.outbox
        let first = try #require(try await outbox.add("123456", of: anna).item).id
        #expect(try await outbox.add("12345", of: anna) == .tooManyBytes(limit: 10))
        #expect(try await outbox.add("äö", of: anna).item != nil)
        #expect(try await outbox.size(of: anna) == (2, 10))
        #expect(try await outbox.add("1", of: anna) == .tooManyBytes(limit: 10))
        #expect(try await outbox.add("", of: anna).item != nil)
        #expect(try await outbox.add("", of: anna) == .tooManyItems(limit: 3))
        #expect(try await outbox.add("of another", of: ben).item != nil)

        _ = try await outbox.claim(first, of: anna)
        try await outbox.finish(first, of: anna, .failed(problem: "no"))
        #expect(try await outbox.add("", of: anna) == .tooManyItems(limit: 3))
        _ = try await outbox.retry(first, of: anna)
        _ = try await outbox.claim(first, of: anna)
        try await outbox.finish(first, of: anna, .sent)
        #expect(try await outbox.size(of: anna) == (3, 10))
        #expect(try await outbox.add("123456", of: anna).item != nil)
        #expect(try await outbox.add("1", of: anna) == .tooManyItems(limit: 3))

        var bounds = StoreBounds()
        (bounds.outboxItems, bounds.outboxBytes) = (9, 11)
        store.adopt(bounds)
        #expect(try await outbox.add("1", of: anna).item != nil)
        #expect(try await outbox.add("1", of: anna) == .tooManyBytes(limit: 11))
        try await store.close()
    }

    @Test func `what waited in a file of the former version is counted`() async throws {
        let path = "\(directory.path)/viewmodeld.sqlite"
        do {
            let file = try DatabaseQueue(path: path)
            try Migrations.migrator.migrate(file, upTo: "1")
            try await file.write { db in
                for (number, status) in ["queued", "failed", "sent"].enumerated() {
                    try db.execute(
                        sql: "INSERT INTO outbox (id, uid, text, status, createdAt) VALUES (?, ?, ?, ?, 0)",
                        arguments: ["\(number)", anna, Data("four".utf8), status]
                    )
                }
            }
            try file.close()
        }
        let store = try await openStore(directory) { $0.bounds.outboxBytes = 10 }
        #expect(try await store.outbox.size(of: anna) == (3, 12))
        #expect(try await store.outbox.add("abc", of: anna) == .tooManyBytes(limit: 10))
        #expect(try await store.outbox.add("ab", of: anna).item != nil)
        try await store.close()
    }
}

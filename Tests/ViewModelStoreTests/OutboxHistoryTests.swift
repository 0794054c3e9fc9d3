import TestSupport
import Testing

@testable import ViewModelStore

@Suite struct OutboxHistoryTests {
    @Test(arguments: 0..<4)
    func `any history of an outbox is that of its model`(run: Int) async throws {
        var random = Seeded(.random(in: 0...UInt64.max))
        var directory = try TemporaryDirectory()
        var store = try await openStore(directory)
        var model = OutboxModel()
        for step in 0..<250 {
            let uid = Int.random(in: 0..<4, using: &random) == 0 ? ben : anna
            // Mostly one of the user's own items, sometimes one of another user or an unknown one.
            let id = model.items.filter { $0.uid == uid || step % 7 == 0 }.randomElement(using: &random)?.id ?? "none"
            switch Int.random(in: 0..<21, using: &random) {
            case 0..<6:
                let item = try #require(try await store.outbox.add("text \(step)", of: uid).item)
                model.items.append(.init(uid: uid, id: item.id, text: "text \(step)"))
            case 6..<8:
                #expect(try await store.outbox.remove(id, of: uid) == model.remove(id, uid), "step \(step)")
            case 8..<11:
                #expect(try await store.outbox.claim(of: uid)?.id == model.claim(nil, uid), "step \(step)")
            case 11:
                #expect(try await store.outbox.claim(id, of: uid)?.id == model.claim(id, uid), "step \(step)")
            case 12..<14:
                let item = try await store.outbox.countAttempt(id, of: uid, problem: "p\(step)")
                #expect(
                    item?.id
                        == model.change(id, uid, .sending) { ($0.attempts, $0.problem) = ($0.attempts + 1, "p\(step)") }
                )
            case 14..<16:
                let item = try await store.outbox.finish(id, of: uid, .sent)?.item
                #expect(item?.id == model.change(id, uid, .sending) { ($0.status, $0.problem) = (.sent, nil) })
            case 16:
                let item = try await store.outbox.finish(id, of: uid, .failed(problem: "f"))?.item
                #expect(item?.id == model.change(id, uid, .sending) { ($0.status, $0.problem) = (.failed, "f") })
            case 17:
                let item = try await store.outbox.finish(id, of: uid, .queued(problem: "q"))?.item
                #expect(item?.id == model.change(id, uid, .sending) { ($0.status, $0.problem) = (.queued, "q") })
            case 18:
                let item = try await store.outbox.retry(id, of: uid)
                #expect(item?.id == model.change(id, uid, .failed) { $0 = $0.again })
            case 19:
                #expect(try await store.outbox.retryAll(of: uid).count == model.retryAll(uid))
            default:
                // The process dies and another one takes over.
                let remains = try directory.copy()
                try await store.close()
                directory = remains
                store = try await openStore(directory)
                for index in model.items.indices where model.items[index].status == .sending {
                    model.items[index].status = .queued
                }
            }
            for uid in [anna, ben] {
                try #require(try await store.outbox.items(of: uid) == model.list(uid), "run \(run), step \(step)")
            }
        }
        try await store.close()
    }
}

/// What an outbox is, in the simplest words.
struct OutboxModel {
    struct Item {
        let uid: UInt32
        let id: String
        let text: String
        var status = OutboxItem.Status.queued
        var attempts = 0
        var problem: String?

        var again: Item { Item(uid: uid, id: id, text: text) }
    }

    var items: [Item] = []

    func list(_ uid: UInt32) -> [OutboxItem] {
        items.filter { $0.uid == uid }.map {
            OutboxItem(id: $0.id, text: $0.text, status: $0.status, attempts: $0.attempts, problem: $0.problem)
        }
    }

    mutating func remove(_ id: String, _ uid: UInt32) -> Outbox.Removal {
        guard let index = items.firstIndex(where: { $0.id == id && $0.uid == uid }) else { return .unknown }
        if items[index].status == .sending { return .sending }
        items.remove(at: index)
        return .removed
    }

    mutating func claim(_ id: String?, _ uid: UInt32) -> String? {
        let found = items.first { $0.uid == uid && $0.status == .queued && (id == nil || $0.id == id) }
        guard let found else { return nil }
        return change(found.id, uid, .queued) { $0.status = .sending }
    }

    mutating func change(
        _ id: String,
        _ uid: UInt32,
        _ status: OutboxItem.Status,
        _ body: (inout Item) -> Void
    ) -> String? {
        let index = items.firstIndex { $0.id == id && $0.uid == uid && $0.status == status }
        guard let index else { return nil }
        body(&items[index])
        return id
    }

    mutating func retryAll(_ uid: UInt32) -> Int {
        let failed = items.indices.filter { items[$0].uid == uid && items[$0].status == .failed }
        for index in failed { items[index] = items[index].again }
        return failed.count
    }
}

import TestSupport
import ViewModelStorage

extension StorageCheck {
    static let outbox = [
        StorageCheck("any history of an outbox is that of its model, across deaths and restarts") { fixture, random in
            var bounds = StoreBounds()
            (bounds.outboxItems, bounds.outboxBytes) = (12, 200)
            var history = OutboxHistory(fixture: fixture, bounds: bounds)
            try await history.run(steps: 300, &random)
        },
        StorageCheck("the items that were sent last are kept, and the others are reported") { fixture, random in
            try await fixture.withStore { store in
                try await sendMany(store.outbox, count: OutboxMessage.sentLimit + 20, &random)
            }
        },
        StorageCheck("writers at the same time lose no item, and each one's items keep their order") { fixture, _ in
            try await fixture.withStore { try await addConcurrently($0.outbox) }
        },
        StorageCheck("an addition that is repeated with its id within ten minutes finds the first item") { fixture, _ in
            try await repeatAdditions(fixture)
        },
        StorageCheck("writers at the same time keep the bounds, and senders share the items") { fixture, _ in
            var bounds = StoreBounds()
            bounds.outboxItems = 60
            try await fixture.withStore(bounds) { store in
                try await fillConcurrently(store.outbox, limit: 60)
                try await claimConcurrently(store.outbox)
            }
        },
    ]

    /// Texts that a database could change or refuse.
    static let texts = ["", "hello", "zero\0inside", "🧮 Grüße\r\n", "'; --", String(repeating: "long ", count: 20)]

    private static func sendMany(_ outbox: any Outbox, count: Int, _ random: inout Seeded) async throws {
        var model = OutboxModel()
        let uid = users[0]
        for number in 0..<count {
            guard case .success(let item) = try await outbox.add("\(number)", of: uid) else { continue }
            model.append(item, uid)
        }
        for id in model.list(uid).map(\.id).shuffled(using: &random) {
            try expect(try await outbox.claim(id, of: uid), model.claim(id, uid), "claim")
            let (finished, expected) = (try await outbox.finish(id, of: uid, .sent), model.finish(id, uid, .sent))
            try expect(finished?.item, expected?.item, "finish")
            try expect(finished?.forgotten, expected?.forgotten, "the forgotten items")
        }
        try expect(try await outbox.items(of: uid), model.list(uid), "items")
    }

    private static func repeatAdditions(_ fixture: any StorageFixture) async throws {
        let id = "0123456789abcdef0123456789abcdef"
        for repetition in 0..<3 {
            try await fixture.withStore { store in
                // The third one comes eleven minutes after the second.
                if repetition == 2 { try await fixture.pass(.seconds(660)) }
                let added = try await store.outbox.add("once", id: id, of: users[0])
                let items = try await store.outbox.items(of: users[0])
                try expect(items.count, repetition == 2 ? 2 : 1, "items after repetition \(repetition)")
                try expect(added, .success(try required(items.last, "the last item")), "the item")
                try expect(items.first?.id, id, "the first id")
                try expect(try await store.outbox.size(of: users[0]).items, items.count, "the size")
            }
        }
    }

    private static func addConcurrently(_ outbox: any Outbox) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask {
                    for number in 0..<20 { _ = try await outbox.add("\(writer) \(number)", of: users[writer % 2]) }
                }
            }
            try await group.waitForAll()
        }
        for (index, uid) in users.enumerated() {
            let items = try await outbox.items(of: uid)
            try expect(Set(items.map(\.id)).count, 80, "different ids")
            for writer in stride(from: index, to: 8, by: 2) {
                let own = items.map(\.text).filter { $0.hasPrefix("\(writer) ") }
                try expect(own, (0..<20).map { "\(writer) \($0)" }, "the items of writer \(writer)")
            }
        }
    }

    private static func claimConcurrently(_ outbox: any Outbox) async throws {
        let uid = users[0]
        let texts = try await outbox.items(of: uid).map(\.text)
        let shares = try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<6 {
                group.addTask {
                    var share: [String] = []
                    while let item = try await outbox.claim(nil, of: uid) {
                        share.append(item.text)
                        _ = try await outbox.finish(item.id, of: uid, .sent)
                    }
                    return share
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        try expect(shares.sorted(), texts.sorted(), "the claimed items")
    }

    private static func fillConcurrently(_ outbox: any Outbox, limit: Int) async throws {
        let uid = users[0]
        let added = try await withThrowingTaskGroup(of: Int.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    var added = 0
                    for number in 0..<20 {
                        if case .success = try await outbox.add("\(writer) \(number)", of: uid) { added += 1 }
                    }
                    return added
                }
            }
            return try await group.reduce(0, +)
        }
        try expect(added, limit, "the number of added items")
        try expect(try await outbox.items(of: uid).count, limit, "the number of items")
    }
}

/// A random history of the outboxes of two users.
private struct OutboxHistory {
    let fixture: any StorageFixture
    var bounds: StoreBounds
    var model = OutboxModel()

    mutating func run(steps: Int, _ random: inout Seeded) async throws {
        var store = try await fixture.open(bounds)
        for step in 0..<steps {
            let uid = users[Int.random(in: 0..<4, using: &random) / 3]
            // Mostly one of the user's own items, sometimes one of another user or an unknown one.
            let ids = model.items.filter { $0.uid == uid || step % 7 == 0 }.map(\.item.id)
            let id = ids.randomElement(using: &random) ?? "none"
            switch Int.random(in: 0..<23, using: &random) {
            case 0: store = try await reopen(store, dying: Bool.random(using: &random))
            case 1:
                bounds.outboxItems = Int.random(in: 1...20, using: &random)
                bounds.outboxBytes = Int.random(in: 0...300, using: &random)
                store.adopt(bounds)
            default: try await change(store.outbox, id, uid, "step \(step)", &random)
            }
            for uid in users {
                let items = try await store.outbox.items(of: uid)
                try expect(items, model.list(uid), "the items after step \(step)")
                let size = try await store.outbox.size(of: uid)
                try expect(size.items, items.count, "the number of items after step \(step)")
                try expect(size.bytes, items.reduce(0) { $0 + $1.text.utf8.count }, "the bytes after step \(step)")
            }
        }
        try await store.close()
    }

    private mutating func reopen(_ store: any StateStorage, dying: Bool) async throws -> any StateStorage {
        if dying { try await fixture.kill(store) } else { try await store.close() }
        model.endClaims()
        return try await fixture.open(bounds)
    }

    private mutating func change(
        _ outbox: any Outbox,
        _ id: String,
        _ uid: UInt32,
        _ step: String,
        _ random: inout Seeded
    ) async throws {
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<6:
            let text = StorageCheck.texts.randomElement(using: &random) ?? ""
            let addition = try await outbox.add(text, of: uid)
            var newID = ""
            if case .success(let item) = addition {
                newID = item.id
                try expect(newID.count == 32 && newID.allSatisfy(\.isHexDigit), "the id \(newID), \(step)")
            }
            try expect(addition, model.addition(text, uid, bounds, id: newID), "add, \(step)")
            if case .success(let item) = addition { model.append(item, uid) }
        case 6..<8: try expect(try await outbox.remove(id, of: uid), model.remove(id, uid), "remove, \(step)")
        case 8..<11: try expect(try await outbox.claim(nil, of: uid), model.claim(nil, uid), "claim, \(step)")
        case 11: try expect(try await outbox.claim(id, of: uid), model.claim(id, uid), "claim of one, \(step)")
        case 12..<14:
            let problem = Bool.random(using: &random) ? "problem\0 \(step)" : nil
            let item = try await outbox.countAttempt(id, of: uid, problem: problem)
            try expect(item, model.countAttempt(id, uid, problem: problem), "countAttempt, \(step)")
        case 14..<18:
            let outcomes: [OutboxOutcome] = [
                .sent, .sent, .failed(problem: "no\0"), .queued(problem: "later"), .queued(problem: nil),
            ]
            let outcome = outcomes.randomElement(using: &random) ?? .sent
            let (finished, expected) = (try await outbox.finish(id, of: uid, outcome), model.finish(id, uid, outcome))
            try expect(finished?.item, expected?.item, "finish, \(step)")
            try expect(finished?.forgotten, expected?.forgotten, "the forgotten items, \(step)")
        case 18: try expect(try await outbox.retry(id, of: uid).first, model.retry(id, uid), "retry, \(step)")
        default:
            let items = try await outbox.retry(nil, of: uid).sorted { $0.id < $1.id }
            try expect(items, model.retryAll(uid).sorted { $0.id < $1.id }, "retryAll, \(step)")
        }
    }
}

import TestSupport
import ViewModelHost
import ViewModelStorage

extension StorageCheck {
    static let sessions = [
        StorageCheck("any history of saved sessions is that of its model, across deaths") { fixture, random in
            var bounds = StoreBounds()
            (bounds.savedSessions, bounds.savedBytes) = (3, 120)
            var history = SessionHistory(fixture: fixture, bounds: bounds)
            try await history.run(steps: 250, &random)
        },
        StorageCheck("a session that was not saved is acquired only if it may be created") { fixture, _ in
            try await fixture.withStore { store in
                try expect(try await store.sessions.acquire(desk, mayCreate: false), nil, "a missing session")
                let new = try await store.sessions.acquire(desk, mayCreate: true)
                try expect(new?.saved, nil, "what is saved of a new session")
                let fence = try required(new, "a new session").fence
                try await store.sessions.erase(desk, under: fence)
                try expect(try await store.sessions.acquire(desk, mayCreate: false)?.saved, nil, "an erased session")
            }
        },
        StorageCheck("values go with their instance, with its children and with nothing else") { fixture, _ in
            try await fixture.withStore { store in
                let fence = try required(try await store.sessions.acquire(desk, mayCreate: true), "a session").fence
                var changes = SessionChanges(key: desk, fence: fence)
                changes.instances = ["a", "ab", "A"].map { SavedInstance(id: $0, type: "lab", arguments: nil) }
                changes.values = ["", "a", "a.header", "ab", "A", "A.header", "coordinator"].map {
                    SavedValue(key: .init(owner: $0, name: "v"), text: [0x31])
                }
                try await store.sessions.save(changes)
                changes.instances = ["A", "ab"].map { SavedInstance(id: $0, type: "lab", arguments: nil) }
                changes.values = []
                try await store.sessions.save(changes)
                let saved = try required(try await store.sessions.load(desk), "the session")
                try expect(saved.instances.map(\.id), ["A", "ab"], "the instances")
                let owners = saved.values.keys.map(\.owner).sorted()
                try expect(owners, ["", "A", "A.header", "ab", "coordinator"], "the owners of the values")
            }
        },
        StorageCheck("a write under an old fence throws and changes nothing") { fixture, _ in
            try await fixture.withStore { try await checkFences($0.sessions, fixture.hasFences) }
        },
        StorageCheck("a save that arrives after a later one changes nothing") { fixture, _ in
            guard fixture.hasFences else { return }
            try await fixture.withStore { store in
                let fence = try required(try await store.sessions.acquire(desk, mayCreate: true), "a session").fence
                for (number, isComplete) in [(1, true), (3, true), (2, true), (2, false)] as [(Int64, Bool)] {
                    var changes = SessionChanges(key: desk, fence: fence, number: number, isComplete: isComplete)
                    changes.values = [SavedValue(key: .init(owner: "", name: "v"), text: Array("\(number)".utf8))]
                    try? await store.sessions.save(changes)
                }
                let saved = try required(try await store.sessions.load(desk), "the session")
                try expect(saved.values.values.map { $0 }, [Array("3".utf8)], "the value of the last save")
            }
        },
        StorageCheck("sessions that are saved and read at the same time are always whole") { fixture, _ in
            try await fixture.withStore { try await saveConcurrently($0.sessions, fixture.hasFences) }
        },
        StorageCheck("sessions that nobody used for days are erased, and nothing else is") { fixture, _ in
            try await fixture.withStore { store in
                let change = LastingChange(key: .init(owner: "lab", name: "text"), text: [0x31], known: nil)
                _ = try await store.sessions.save([change], of: .user(users[0]))
                for key in [desk, sofa] { try await store.sessions.saveText("1", as: key) }
                try await fixture.pass(.seconds(20 * 86_400))
                try await store.sessions.touch(sofa)
                try await store.sessions.eraseUnused(forDays: 30)
                try await fixture.pass(.seconds(10 * 86_400))
                try await store.sessions.eraseUnused(forDays: 30)
                try expect(try await store.sessions.load(desk) != nil, "a session of 30 days was erased")
                try await fixture.pass(.seconds(1))
                try await store.sessions.eraseUnused(forDays: 30)
                try expect(try await store.sessions.text(of: desk), nil, "a session of more than 30 days")
                try expect(try await store.sessions.text(of: sofa), "1", "a session that was used 10 days ago")
                try expect(try await store.sessions.loadValues(of: .user(users[0])).count, 1, "the values of the user")
            }
        },
    ]

    static let desk = SessionKey(uid: users[0], name: "desk")
    private static let sofa = SessionKey(uid: users[1], name: "desk")

    private static func checkFences(_ sessions: any Store, _ hasFences: Bool) async throws {
        let first = try required(try await sessions.acquire(desk, mayCreate: true), "a new session").fence
        try await sessions.saveText("1", as: desk, first)
        let second = try required(try await sessions.acquire(desk, mayCreate: false), "the session")
        try expect(second.saved?.values.count, 2, "the values of the session that was taken over")
        try expect(second.fence.number > first.number, hasFences, "whether the second fence is larger")
        guard hasFences else { return }
        for attempt in 1...2 {
            try await expectMoved("save \(attempt)") { try await sessions.saveText("2", as: desk, first) }
            try await expectMoved("erase \(attempt)") { try await sessions.erase(desk, under: first) }
        }
        try await sessions.saveText("3", as: desk, second.fence)
        try await expectMoved("save after another") { try await sessions.saveText("2", as: desk, first) }
        try await sessions.erase(desk, under: second.fence)
        // Erasing does not make the former fence valid.
        try await expectMoved("save after the end") { try await sessions.saveText("2", as: desk, first) }
        try expect(try await sessions.text(of: desk), nil, "the erased session")
    }

    private static func expectMoved(_ what: String, _ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch is SessionMoved {
            return
        }
        throw Failure(description: "\(what) under an old fence succeeded")
    }

    /// Saves and reads at the same time.
    ///
    /// A read takes a session over, so with fences a save may have to be repeated.
    private static func saveConcurrently(_ sessions: any Store, _ hasFences: Bool) async throws {
        @Sendable func save(_ text: String, as key: SessionKey) async throws {
            do {
                try await sessions.saveText(text, as: key)
            } catch is SessionMoved where hasFences {
                try await save(text, as: key)
            }
        }
        let keys = (0..<4).map { SessionKey(uid: users[$0 % 2], name: "session\($0)") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for key in keys {
                group.addTask {
                    for number in 1...20 { try await save("\(number)", as: key) }
                }
                group.addTask {
                    for _ in 1...20 { _ = try await sessions.text(of: key) }
                }
            }
            try await group.waitForAll()
        }
        for key in keys { try expect(try await sessions.text(of: key), "20", "\(key)") }
    }
}

extension Store {
    /// Saves a text as two values and an instance.
    ///
    /// Without a fence, it first becomes the writer.
    func saveText(_ text: String, as key: SessionKey, _ fence: SessionFence? = nil) async throws {
        var writer = fence
        if writer == nil { writer = try await acquire(key, mayCreate: true)?.fence }
        try await save(
            SessionChanges(
                key: key,
                fence: writer ?? .single,
                instances: [SavedInstance(id: text, type: "lab", arguments: nil)],
                values: ["", "coordinator"].map {
                    SavedValue(key: .init(owner: $0, name: "text"), text: Array(text.utf8))
                }
            )
        )
    }

    /// Returns the text that a session was saved with.
    ///
    /// - Throws: `StorageCheck.Failure` if the session is a part of one save and a part of another.
    func text(of key: SessionKey) async throws -> String? {
        guard let saved = try await acquire(key, mayCreate: false)?.saved else { return nil }
        let texts = saved.values.values.map { String(decoding: $0, as: UTF8.self) } + saved.instances.map(\.id)
        try expect(texts.count == 3 && Set(texts).count == 1, "the parts of \(key) differ: \(texts)")
        return texts.first
    }
}

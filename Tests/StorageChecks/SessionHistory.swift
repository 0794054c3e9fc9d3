import TestSupport
import ViewModelHost
import ViewModelStorage

/// A random history of the saved sessions of two users.
struct SessionHistory {
    let fixture: any StorageFixture
    var bounds: StoreBounds
    var model = SessionModel()
    /// The fences of the sessions in use.
    private var fences: [SessionKey: SessionFence] = [:]

    init(fixture: any StorageFixture, bounds: StoreBounds) {
        self.fixture = fixture
        self.bounds = bounds
    }

    private static let keys = users.flatMap { uid in
        ["desk", "Desk", "sofa", "a.b_c-1", "x"].map { SessionKey(uid: uid, name: $0) }
    }

    mutating func run(steps: Int, _ random: inout Seeded) async throws {
        var store = try await fixture.open(bounds)
        for step in 0..<steps {
            // The order of two uses at the same moment is open.
            try await fixture.pass(.seconds(1))
            let key = Self.keys.randomElement(using: &random) ?? Self.keys[0]
            switch Int.random(in: 0..<12, using: &random) {
            case 0:
                if Bool.random(using: &random) { try await fixture.kill(store) } else { try await store.close() }
                store = try await fixture.open(bounds)
                fences = [:]
            case 1:
                bounds.savedSessions = Int.random(in: 0...5, using: &random)
                bounds.savedBytes = Int.random(in: 60...200, using: &random)
                store.adopt(bounds)
            default: try await change(store.sessions, key, "step \(step)", &random)
            }
            for key in Self.keys where fences[key] == nil || step % 10 == 0 {
                try expect(try await store.sessions.load(key), model.saved(key), "\(key) after step \(step)")
                fences[key] = nil
            }
        }
        try await store.close()
    }

    private mutating func change(
        _ sessions: any Store,
        _ key: SessionKey,
        _ step: String,
        _ random: inout Seeded
    ) async throws {
        switch Int.random(in: 0..<10, using: &random) {
        case 0:
            try await sessions.erase(key, under: try await fence(of: key, in: sessions, step))
            model.erase(key)
            // An erasure ends the use of the session.
            fences[key] = nil
        case 1:
            try await sessions.touch(key)
            model.touch(key)
        default:
            let changes = changes(of: key, under: try await fence(of: key, in: sessions, step), &random)
            let found = await Self.outcome { try await sessions.save(changes) }
            let former = model
            let expected = await Self.outcome { try model.save(changes, bounds) }
            if expected != nil { model = former }
            try expect(found, expected, "the error of a save, \(step)")
        }
    }

    /// Returns the fence of a session, which is acquired if it is not in use.
    private mutating func fence(
        of key: SessionKey,
        in sessions: any Store,
        _ step: String
    ) async throws -> SessionFence {
        if let fence = fences[key] { return fence }
        let acquired = try required(try await sessions.acquire(key, mayCreate: true), "acquire, \(step)")
        try expect(acquired.saved, model.saved(key), "the acquired session, \(step)")
        fences[key] = acquired.fence
        return acquired.fence
    }

    private func changes(of key: SessionKey, under fence: SessionFence, _ random: inout Seeded) -> SessionChanges {
        let ids = ["lab", "lab.child", "labs", "Lab.child", "é", "e\u{301}", "calc"]
        var changes = SessionChanges(key: key, fence: fence, isComplete: Int.random(in: 0..<3, using: &random) > 0)
        if changes.isComplete {
            changes.living = Self.keys.filter { $0.uid == key.uid && fences[$0] != nil }.map(\.name)
        }
        if Bool.random(using: &random) {
            let count = Int.random(in: 0...3, using: &random)
            changes.instances = ["lab", "é", "calc"].shuffled(using: &random).prefix(count).map { id in
                SavedInstance(id: id, type: "type", arguments: Bool.random(using: &random) ? Array("[1]".utf8) : nil)
            }
        }
        // A value is at most once among the changes.
        for owner in Set(ids).shuffled(using: &random).prefix(Int.random(in: 0...3, using: &random)) {
            let text = [UInt8](repeating: 0x31, count: Int.random(in: 1...40, using: &random))
            changes.values.append(
                SavedValue(
                    key: .init(owner: owner, name: ["a", "Ä", "\u{1}aside 1 a"].randomElement(using: &random) ?? "a"),
                    text: Int.random(in: 0..<4, using: &random) == 0 ? nil : text
                )
            )
        }
        return changes
    }

    /// Returns the kind of the error of `body`, or nil.
    private static func outcome(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch {
            return "\(type(of: error))"
        }
    }
}

import StorageChecks
import TestSupport
import Testing
import ViewModelHost

@testable import ViewModelStorage
@testable import ViewModelStore

/// What `StorageCheck` does not know of the sessions in SQLite: wrong clocks, and files that a hand has changed.
@Suite struct SessionArchiveTests {
    let directory: TemporaryDirectory
    let clock = ManualClock()
    let desk = SessionKey(uid: anna, name: "desk")
    let sofa = SessionKey(uid: anna, name: "sofa")

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func open() async throws -> StateStore {
        try await openStore(directory) {
            $0.use(clock)
            $0.bounds.savedSessions = 2
            $0.bounds.savedBytes = 1000
        }
    }

    private func changes(_ key: SessionKey, _ values: [String: String] = [:]) -> SessionChanges {
        SessionChanges(
            key: key,
            instances: [SavedInstance(id: "a", type: "lab", arguments: nil)],
            values: values.map { SavedValue(key: .init(owner: "a", name: $0), text: Array($1.utf8)) }
        )
    }

    @Test func `a session of the largest size is saved, and one with a byte more is not`() async throws {
        let store = try await open()
        func save(_ count: Int) async throws {
            try await store.sessions.save(changes(desk, ["v": String(repeating: "x", count: count)]))
        }
        // The names of the instance, its type, the owner and the value have six bytes.
        try await save(994)
        await #expect(throws: SavedStateTooLarge.self) { try await save(995) }
        try await store.close()
    }

    /// Starts with wrong times of day, in seconds from the right one, and a use of another session in some of them.
    @Test(arguments: [
        [-1_800_000_000.0, 0], [315_360_000, 0], [-1_800_000_000, 315_360_000, 0], [315_360_000, -1_800_000_000, 0, 0],
        [3_000_000, 0, 3_000_000, 0], [-3_000_000, 0, -3_000_000, 0],
    ])
    func `a time of day that is wrong erases nothing, and makes no session older than others`(
        offsets: [Double]
    ) async throws {
        var present = 0.0
        for used in [desk, sofa] {
            for offset in offsets + offsets {
                clock.step(by: offset - present)
                present = offset
                clock.advance(by: 60)
                let store = try await open()
                for key in [desk, sofa] where try await store.sessions.load(key) == nil {
                    try await store.sessions.save(changes(key))
                    try await store.cache.store(Array("{}".utf8), of: anna)
                }
                for days in [1, 30] { try await store.sessions.eraseUnused(forDays: days) }
                clock.advance(by: 60)
                try await store.sessions.touch(used)
                try await store.cache.remove(of: ben)
                for key in [desk, sofa] { #expect(try await store.sessions.load(key) != nil, "\(offset)") }
                // A page whose date seems to be old is kept, although it is not returned.
                #expect(try await !store.records().column("uid", of: "cache").isEmpty)
                try await store.close()
            }
        }
        // The third session replaces the one that was used first.
        let store = try await open()
        try await store.sessions.save(changes(SessionKey(uid: anna, name: "third")))
        #expect(try await store.sessions.load(desk) == nil)
        #expect(try await store.sessions.load(sofa) != nil)
        try await store.close()
    }

    @Test func `saves that share a transaction with one over its bound are not lost`() async throws {
        let store = try await open()
        try await store.sessions.save(changes(desk, ["x": "1"]))
        let before = try await store.sessions.load(desk)
        let oversized = changes(desk, ["x": String(repeating: "x", count: 1000)])
        let others = (0..<20).map { SessionKey(uid: ben + UInt32($0), name: "desk") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for key in others {
                group.addTask {
                    try await store.sessions.save(SessionChanges(key: key, instances: []))
                    await #expect(throws: SavedStateTooLarge.self) { try await store.sessions.save(oversized) }
                }
            }
            try await group.waitForAll()
        }
        for key in others { #expect(try await store.sessions.load(key) != nil) }
        #expect(try await store.sessions.load(desk) == before)
        try await store.close()
    }

    @Test func `empty texts, which only a hand at the file can write, are left out`() async throws {
        let store = try await open()
        var empty = changes(desk, ["x": "", "y": "1"])
        empty.instances = [SavedInstance(id: "a", type: "lab", arguments: [])]
        try await store.sessions.save(empty)
        let saved = try await store.sessions.load(desk)
        #expect(saved?.instances.first?.arguments == nil)
        #expect(saved?.values == [.init(owner: "a", name: "y"): Array("1".utf8)])
        try await store.close()
    }
}

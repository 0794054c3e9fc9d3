import StorageChecks
import TestSupport
import FoundationEssentials
import GRDB
import Testing
import ViewModelHost

@testable import ViewModelStorage
@testable import ViewModelStore

@Suite struct SessionArchiveTests {
    let directory: TemporaryDirectory
    let clock = ManualClock()
    let desk = SessionKey(uid: anna, name: "desk")

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func open() async throws -> StateStore {
        let clock = clock
        return try await openStore(directory) { $0.use(clock) }
    }

    private func instance(_ id: String) -> SavedInstance {
        SavedInstance(id: id, type: "lab", arguments: id == "plain" ? nil : Array(#"{"id":"\#(id)"}"#.utf8))
    }

    private func value(_ owner: String, _ name: String, _ text: String?) -> SavedValue {
        SavedValue(key: .init(owner: owner, name: name), text: text.map { Array($0.utf8) })
    }

    @Test func `a session comes back as it was saved, to its own user only`() async throws {
        var store = try await open()
        let instances = ["plain", "b", "a"].map { instance($0) }
        try await store.sessions.save(
            SessionChanges(
                key: desk,
                instances: instances,
                values: [value("", "shared", "1"), value("b", "led", #""0""#)]
            )
        )
        try await store.close()

        store = try await open()
        let saved = SavedSession(
            instances: instances,
            values: [
                .init(owner: "", name: "shared"): Array("1".utf8), .init(owner: "b", name: "led"): Array(#""0""#.utf8),
            ]
        )
        #expect(try await store.sessions.load(desk) == saved)
        #expect(try await store.sessions.load(SessionKey(uid: ben, name: "desk")) == nil)
        #expect(try await store.sessions.load(SessionKey(uid: anna, name: "Desk")) == nil)
        try await store.close()
    }

    @Test func `only changes are saved, and a removed value is erased`() async throws {
        let store = try await open()
        try await store.sessions.save(
            SessionChanges(key: desk, instances: [instance("a")], values: [value("a", "x", "1"), value("a", "y", "1")])
        )

        try await store.sessions.save(SessionChanges(key: desk, values: [value("a", "x", nil), value("a", "z", "2")]))

        let saved = try #require(try await store.sessions.load(desk))
        #expect(saved.instances == [instance("a")])
        #expect(Set(saved.values.keys.map(\.name)) == ["y", "z"])
        try await store.close()
    }

    @Test func `values go with their instance, with its children and with nothing else`() async throws {
        let store = try await open()
        try await store.sessions.save(
            SessionChanges(
                key: desk,
                instances: [instance("a"), instance("ab"), instance("A")],
                values: ["", "a", "a.header", "ab", "A", "A.header", "coordinator"].map { value($0, "v", "1") }
            )
        )

        try await store.sessions.save(SessionChanges(key: desk, instances: [instance("A"), instance("ab")]))

        let saved = try #require(try await store.sessions.load(desk))
        #expect(saved.instances.map(\.id) == ["A", "ab"])
        #expect(Set(saved.values.keys.map(\.owner)) == ["", "ab", "A", "A.header", "coordinator"])
        try await store.close()
    }

    @Test func `an erased session is erased completely`() async throws {
        let store = try await open()
        let sofa = SessionKey(uid: anna, name: "sofa")
        for key in [desk, sofa] {
            try await store.sessions.save(
                SessionChanges(key: key, instances: [instance("a")], values: [value("a", "x", "1")])
            )
        }

        try await store.sessions.erase(desk)
        try await store.sessions.erase(desk)

        #expect(try await store.sessions.load(desk) == nil)
        #expect(try await store.sessions.load(sofa)?.values.count == 1)
        try await store.sessions.save(SessionChanges(key: desk))
        #expect(try await store.sessions.load(desk) == SavedSession())
        try await store.close()
    }

    @Test func `a session without an attach for a long time is erased`() async throws {
        let store = try await open()
        let used = SessionKey(uid: ben, name: "used")
        for key in [desk, used] {
            try await store.sessions.save(SessionChanges(key: key, instances: [instance("a")]))
        }
        try await store.sessions.touch(SessionKey(uid: ben, name: "never saved"))
        clock.advance(by: 20 * 86_400)
        try await store.sessions.touch(used)
        clock.advance(by: 10 * 86_400)
        try await store.sessions.eraseUnused(forDays: 30)
        #expect(try await store.sessions.load(desk) != nil)

        clock.advance(by: 1)
        try await store.sessions.eraseUnused(forDays: 30)

        #expect(try await store.sessions.load(desk) == nil)
        #expect(try await store.sessions.load(used) != nil)
        try await store.close()
    }

    @Test func `the session that was used longest ago makes room for a new one`() async throws {
        let store = try await openStore(directory) { [clock] in
            $0.use(clock)
            $0.savedSessionsPerUser = 3
        }
        func save(_ name: String, uid: UInt32 = anna) async throws {
            clock.advance(by: 1)
            let key = SessionKey(uid: uid, name: name)
            try await store.sessions.save(SessionChanges(key: key, instances: [instance("a")]))
        }
        func names(of uid: UInt32) async throws -> [String] {
            var names: [String] = []
            for name in ["1", "2", "3", "4", "5"] {
                if try await store.sessions.load(SessionKey(uid: uid, name: name)) != nil { names.append(name) }
            }
            return names
        }
        for name in ["1", "2", "3"] { try await save(name) }
        try await save("1", uid: ben)
        clock.advance(by: 1)
        try await store.sessions.touch(SessionKey(uid: anna, name: "1"))
        try await save("4")
        #expect(try await names(of: anna) == ["1", "3", "4"])
        try await save("3")
        try await save("5")
        #expect(try await names(of: anna) == ["3", "4", "5"])
        #expect(try await names(of: ben) == ["1"])
        var bounds = StoreBounds()
        bounds.savedSessions = 1
        store.adopt(bounds)
        try await save("4")
        #expect(try await names(of: anna) == ["4"])
        try await store.close()
    }

    @Test func `a session that lives is not erased to make room`() async throws {
        let store = try await openStore(directory) { [clock] in
            $0.use(clock)
            $0.savedSessionsPerUser = 2
        }
        try await store.sessions.save(SessionChanges(key: desk, instances: [instance("a")]))
        for name in ["b", "c", "d"] {
            clock.advance(by: 1)
            let key = SessionKey(uid: anna, name: name)
            try await store.sessions.save(SessionChanges(key: key, living: ["desk", name]))
        }
        #expect(try await store.sessions.load(desk) != nil)
        #expect(try await store.sessions.load(SessionKey(uid: anna, name: "c")) == nil)
        #expect(try await store.sessions.load(SessionKey(uid: anna, name: "d")) != nil)
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
        let (cached, sofa) = (Array("{}".utf8), SessionKey(uid: anna, name: "sofa"))
        var present = 0.0
        for used in [desk, sofa] {
            for offset in offsets + offsets {
                clock.step(by: offset - present)
                present = offset
                clock.advance(by: 60)
                let store = try await openStore(directory) { [clock] in
                    $0.use(clock)
                    $0.savedSessionsPerUser = 2
                }
                for key in [desk, sofa] where try await store.sessions.load(key) == nil {
                    try await store.sessions.save(SessionChanges(key: key, instances: [instance("a")]))
                    try await store.cache.store(cached, of: anna)
                }
                for days in [1, 30] { try await store.sessions.eraseUnused(forDays: days) }
                clock.advance(by: 60)
                try await store.sessions.touch(used)
                try await store.cache.remove(of: ben)
                for key in [desk, sofa] { #expect(try await store.sessions.load(key) != nil, "\(offset)") }
                try await store.close()
            }
            let store = try await openStore(directory) { [clock] in $0.use(clock) }
            // A page whose date seems to be old is kept, although it is not returned.
            #expect(try await store.cache.bytes() > 0)
            try await store.close()
        }
        // The third session replaces the one that was used first.
        let store = try await openStore(directory) { [clock] in
            $0.use(clock)
            $0.savedSessionsPerUser = 2
        }
        let third = SessionKey(uid: anna, name: "third")
        try await store.sessions.save(SessionChanges(key: third, instances: [instance("a")]))
        #expect(try await store.sessions.load(desk) == nil)
        #expect(try await store.sessions.load(sofa) != nil)
        try await store.close()
    }

    @Test func `sessions of a former version keep their order, and their ages begin anew`() async throws {
        let database = try DatabaseQueue(path: directory.path + "/viewmodeld.sqlite")
        try Migrations.migrator.migrate(database, upTo: "4")
        try await database.write { db in
            // The time of day was wrong at the first and at the last use.
            for (name, usedAt) in [("new", 1_800_000_000), ("old", 60), ("ahead", 4_000_000_000)] as [(String, Int64)] {
                try db.execute(
                    sql: "INSERT INTO session (uid, name, usedAt) VALUES (?, ?, ?)",
                    arguments: [anna, name, usedAt * 1_000_000]
                )
            }
        }
        try database.close()
        let store = try await open()
        try await store.sessions.eraseUnused(forDays: 1)
        let names = try await store.records().sessions.sorted { $0.usedAt < $1.usedAt }.map(\.key.name)
        #expect(names == ["old", "new", "ahead"])
        try await store.close()
    }

    @Test func `a session that was erased to make room is saved whole or not at all`() async throws {
        let store = try await openStore(directory) { [clock] in
            $0.use(clock)
            $0.savedSessionsPerUser = 1
        }
        let whole = SessionChanges(key: desk, instances: [instance("a")], values: [value("a", "x", "1")])
        try await store.sessions.save(whole)
        clock.advance(by: 1)
        let other = SessionKey(uid: anna, name: "other")
        try await store.sessions.save(SessionChanges(key: other, instances: [instance("a")]))
        let part = SessionChanges(key: desk, values: [value("a", "y", "1")], isComplete: false)
        await #expect(throws: SessionForgotten.self) { try await store.sessions.save(part) }
        #expect(try await store.sessions.load(desk) == nil)
        try await store.sessions.save(whole)
        try await store.sessions.save(part)
        #expect(try await store.sessions.load(desk)?.values.count == 2)
        try await store.close()
    }

    @Test func `a session over its bound is not saved, and what was saved before stays`() async throws {
        let store = try await openStore(directory) { $0.savedBytesPerSession = 1000 }
        let small = SessionChanges(key: desk, instances: [instance("a")], values: [value("a", "x", "1")])
        try await store.sessions.save(small)
        let before = try await store.sessions.load(desk)
        let large = String(repeating: "x", count: 1000)
        for changes in [
            SessionChanges(key: desk, values: [value("a", "x", large)]),
            SessionChanges(key: desk, values: [value("a", "x", "2"), value("a", "y", large)]),
            SessionChanges(
                key: desk,
                instances: [SavedInstance(id: "b", type: "lab", arguments: Array(large.utf8))]
            ),
        ] {
            await #expect(throws: SessionTooLarge.self) { try await store.sessions.save(changes) }
            #expect(try await store.sessions.load(desk) == before)
        }
        // Saves that share a transaction with it are not lost.
        let others = (0..<20).map { SessionKey(uid: anna, name: "\($0)") }
        let oversized = SessionChanges(key: desk, values: [value("a", "x", large)])
        await withTaskGroup(of: Void.self) { group in
            for key in others {
                group.addTask {
                    try? await store.sessions.save(SessionChanges(key: key, instances: []))
                    try? await store.sessions.save(oversized)
                }
            }
        }
        for key in others { #expect(try await store.sessions.load(key) != nil) }
        #expect(try await store.sessions.load(desk) == before)
        try await store.close()
    }

    @Test func `empty texts, which only a hand at the file can write, are left out`() async throws {
        let store = try await open()
        try await store.sessions.save(
            SessionChanges(
                key: desk,
                instances: [SavedInstance(id: "a", type: "lab", arguments: [])],
                values: [value("a", "x", ""), value("a", "y", "1")]
            )
        )
        let saved = try await store.sessions.load(desk)
        #expect(saved?.instances.first?.arguments == nil)
        #expect(saved?.values == [.init(owner: "a", name: "y"): Array("1".utf8)])
        try await store.close()
    }
}

import TestSupport
import FoundationEssentials
import GRDB
import Testing

@testable import ViewModelStore

@Suite struct CacheTests {
    let directory: TemporaryDirectory
    let clock = HandClock()

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func open(maximumBytes: Int = 1_000_000) async throws -> StateStore {
        let clock = clock
        return try await openStore(directory) {
            $0.clock = { clock.now }
            $0.cacheMaximumBytes = maximumBytes
            $0.cacheMaximumAge = .seconds(100)
        }
    }

    private let page = Array(#"{"balance":"100"}"#.utf8)

    @Test func `what was stored is there after a restart, with its tag and its time`() async throws {
        var store = try await open()
        let fetchedAt = clock.now
        try await store.cache.store(page, etag: "W/\"7\"", of: anna, namespace: "mine", key: "user")
        try await store.close()
        clock.advance(by: 5)

        store = try await open()
        let entry = try await store.cache.entry(of: anna, namespace: "mine", key: "user")
        #expect(entry == CacheEntry(value: page, etag: "W/\"7\"", fetchedAt: fetchedAt))
        #expect(try await store.cache.entry(of: ben, namespace: "mine", key: "user") == nil)
        #expect(try await store.cache.entry(of: anna, namespace: "other", key: "user") == nil)
        #expect(try await store.cache.entry(of: anna, namespace: "mine", key: "other") == nil)
        try await store.close()
    }

    @Test func `an entry is gone at its maximum age, and a confirmation makes it young again`() async throws {
        let store = try await open()
        try await store.cache.store(page, etag: "a", of: anna, namespace: "mine", key: "user")
        func isKept() async throws -> Bool {
            try await store.cache.entry(of: anna, namespace: "mine", key: "user") != nil
        }

        clock.advance(by: 99)
        #expect(try await isKept())
        try await store.cache.confirm(of: anna, namespace: "mine", key: "user")
        clock.advance(by: 99)
        #expect(try await isKept())
        clock.advance(by: 1)
        #expect(try await !isKept())
        try await store.close()
    }

    @Test func `signing out empties one user's cache and nobody else's`() async throws {
        let store = try await open()
        for uid in [anna, ben] {
            for key in ["a", "b"] { try await store.cache.store(page, of: uid, namespace: "mine", key: key) }
        }

        try await store.cache.removeAll(of: anna)

        #expect(try await store.cache.entry(of: anna, namespace: "mine", key: "a") == nil)
        #expect(try await store.cache.entry(of: ben, namespace: "mine", key: "a")?.value == page)
        try await store.cache.removeAll(of: ben)
        #expect(try await store.cache.bytes() == 0)
        try await store.close()
    }

    @Test func `what was used least recently goes first, whoever's it is`() async throws {
        let size = 1000 + 128 + 5
        let store = try await open(maximumBytes: 3 * size)
        let value = [UInt8](repeating: 0x31, count: 1000)
        for key in ["a", "b", "c"] { try await store.cache.store(value, of: anna, namespace: "page", key: key) }
        _ = try await store.cache.entry(of: anna, namespace: "page", key: "a")

        try await store.cache.store(value, of: ben, namespace: "page", key: "d")

        #expect(try await keys(store, anna) == ["a", "c"])
        #expect(try await keys(store, ben) == ["d"])
        #expect(try await store.cache.bytes() == 3 * size)
        try await store.close()
    }

    @Test func `what is beyond its maximum age cannot be confirmed`() async throws {
        let store = try await open()
        try await store.cache.store(page, of: anna, namespace: "page", key: "a")
        clock.advance(by: 100)

        try await store.cache.confirm(of: anna, namespace: "page", key: "a")

        #expect(try await store.cache.entry(of: anna, namespace: "page", key: "a") == nil)
        #expect(try await store.cache.bytes() == 0)
        try await store.close()
    }

    @Test func `a use after a restart is later than all before it`() async throws {
        let size = 1000 + 128 + 5
        let value = [UInt8](repeating: 0x31, count: 1000)
        var store = try await open(maximumBytes: 2 * size)
        for key in ["a", "b"] { try await store.cache.store(value, of: anna, namespace: "page", key: key) }
        try await store.close()

        // At the same moment on the clock.
        store = try await open(maximumBytes: 2 * size)
        _ = try await store.cache.entry(of: anna, namespace: "page", key: "a")
        try await store.cache.store(value, of: anna, namespace: "page", key: "c")

        #expect(try await keys(store, anna) == ["a", "c"])
        try await store.close()
    }

    @Test func `a value that is bigger than the cache takes nobody's place`() async throws {
        let store = try await open(maximumBytes: 2000)
        try await store.cache.store(page, of: anna, namespace: "page", key: "a")
        try await store.cache.store(page, of: anna, namespace: "page", key: "b")

        try await store.cache.store([UInt8](repeating: 0x31, count: 2000), of: anna, namespace: "page", key: "b")

        #expect(try await keys(store, anna) == ["a"])
        try await store.close()
    }

    @Test func `any history of a cache is that of its model`() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = Seeded(seed)
        var model = CacheModel(maximumBytes: 4000)
        var store = try await open(maximumBytes: 4000)
        for step in 0..<400 {
            let (uid, key) = (Bool.random(using: &random) ? anna : ben, "\(Int.random(in: 0..<6, using: &random))")
            clock.advance(by: Double.random(in: 0..<8, using: &random).rounded())
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<8:
                let value = [UInt8](repeating: 0x32, count: Int.random(in: 1..<1500, using: &random))
                try await store.cache.store(value, of: uid, namespace: "n", key: key)
                model.store(value, uid, key, now: clock.now)
            case 8..<14:
                let entry = try await store.cache.entry(of: uid, namespace: "n", key: key)
                #expect(entry?.value == model.entry(uid, key, now: clock.now), "seed \(seed), step \(step)")
            case 14..<16:
                try await store.cache.confirm(of: uid, namespace: "n", key: key)
                model.confirm(uid, key, now: clock.now)
            case 16:
                try await store.cache.remove(of: uid, namespace: "n", key: key)
                model.remove(uid, key, now: clock.now)
            case 17:
                try await store.cache.removeAll(of: uid)
                model.removeAll(uid, now: clock.now)
            case 18:
                // Uses since the last write are forgotten by a restart: a write notes them.
                try await store.cache.remove(of: uid, namespace: "n", key: "none")
                model.remove(uid, "none", now: clock.now)
                try await store.close()
                store = try await open(maximumBytes: 4000)
            default:
                #expect(try await store.cache.bytes() == model.bytes, "seed \(seed), step \(step)")
            }
        }
        try await store.close()
    }

    @Test(arguments: [Int64.max, .min])
    func `numbers that a hand at the file has changed end no process`(number: Int64) async throws {
        var store = try await open(maximumBytes: 10_000)
        for key in ["a", "b"] {
            try await store.cache.store(Array("value".utf8), of: anna, namespace: "n", key: key)
        }
        try await store.close()
        let file = try DatabaseQueue(path: "\(directory.path)/viewmodeld.sqlite")
        try await file.write { db in
            try db.execute(
                sql: "UPDATE cache SET usedAt = ?, fetchedAt = max(fetchedAt, ?)",
                arguments: [number, number]
            )
        }
        try file.close()

        store = try await open(maximumBytes: 10_000)
        let entry = try #require(try await store.cache.entry(of: anna, namespace: "n", key: "a"))
        #expect(entry.fetchedAt <= clock.now)
        try await store.cache.store(Array("value".utf8), of: anna, namespace: "n", key: "c")
        _ = try await store.cache.entry(of: anna, namespace: "n", key: "c")
        try await store.cache.store([UInt8](repeating: 32, count: 9000), of: anna, namespace: "n", key: "d")
        #expect(try await store.cache.entry(of: anna, namespace: "n", key: "d") != nil)
        try await store.close()
    }

    @Test func `an empty value is a value`() async throws {
        let store = try await open()
        try await store.cache.store([], of: anna, namespace: "n", key: "a")
        #expect(try await store.cache.entry(of: anna, namespace: "n", key: "a")?.value == [])
        try await store.close()
    }

    private func keys(_ store: StateStore, _ uid: UInt32) async throws -> [String] {
        var keys: [String] = []
        for key in ["a", "b", "c", "d"] where try await store.cache.entry(of: uid, namespace: "page", key: key) != nil {
            keys.append(key)
        }
        return keys
    }
}

/// What a cache is, in the simplest words.
struct CacheModel {
    struct Entry {
        let uid: UInt32
        let key: String
        var value: [UInt8]
        var fetchedAt: Date
        var size: Int { value.count + 1 + key.utf8.count + 128 }
    }

    let maximumBytes: Int
    /// The least recently used first.
    var entries: [Entry] = []

    var bytes: Int { entries.reduce(0) { $0 + $1.size } }

    mutating func store(_ value: [UInt8], _ uid: UInt32, _ key: String, now: Date) {
        entries.removeAll { $0.uid == uid && $0.key == key }
        entries.append(Entry(uid: uid, key: key, value: value, fetchedAt: now))
        settle(now)
    }

    mutating func entry(_ uid: UInt32, _ key: String, now: Date) -> [UInt8]? {
        guard let index = index(uid, key), now.timeIntervalSince(entries[index].fetchedAt) < 100 else { return nil }
        let entry = entries.remove(at: index)
        entries.append(entry)
        return entry.value
    }

    mutating func confirm(_ uid: UInt32, _ key: String, now: Date) {
        settle(now)
        if let index = index(uid, key) {
            var entry = entries.remove(at: index)
            entry.fetchedAt = now
            entries.append(entry)
        }
    }

    mutating func remove(_ uid: UInt32, _ key: String, now: Date) {
        entries.removeAll { $0.uid == uid && $0.key == key }
        settle(now)
    }

    mutating func removeAll(_ uid: UInt32, now: Date) {
        entries.removeAll { $0.uid == uid }
        settle(now)
    }

    private func index(_ uid: UInt32, _ key: String) -> Int? {
        entries.firstIndex { $0.uid == uid && $0.key == key }
    }

    private mutating func settle(_ now: Date) {
        entries.removeAll { now.timeIntervalSince($0.fetchedAt) >= 100 }
        while bytes > maximumBytes { entries.removeFirst() }
    }
}

import StorageChecks
import TestSupport
import FoundationEssentials
import GRDB
import Testing

@testable import ViewModelStorage
@testable import ViewModelStore

@Suite struct CacheTests {
    let directory: TemporaryDirectory
    let clock = ManualClock()

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func open(maximumBytes: Int = 1_000_000) async throws -> StateStore {
        let clock = clock
        return try await openStore(directory) {
            $0.use(clock)
            $0.bounds.cacheBytes = maximumBytes
            $0.bounds.cacheAge = .seconds(100)
        }
    }

    private let page = Array(#"{"balance":"100"}"#.utf8)

    @Test func `what was stored is there after a restart, with its tag and its time`() async throws {
        var store = try await open()
        let fetchedAt = clock.now
        try await store.cache.store(page, etag: "W/\"7\"", of: anna)
        try await store.close()
        clock.advance(by: 5)

        store = try await open()
        let entry = try await store.cache.entry(of: anna)
        #expect(entry == CacheEntry(value: page, etag: "W/\"7\"", fetchedAt: fetchedAt))
        #expect(try await store.cache.entry(of: ben) == nil)
        try await store.close()
    }

    @Test func `an entry expires at its maximum age, and a confirmation renews it`() async throws {
        let store = try await open()
        try await store.cache.store(page, etag: "a", of: anna)
        func isKept() async throws -> Bool {
            try await store.cache.entry(of: anna) != nil
        }

        clock.advance(by: 99)
        #expect(try await isKept())
        try await store.cache.confirm(of: anna)
        clock.advance(by: 99)
        #expect(try await isKept())
        clock.advance(by: 1)
        #expect(try await !isKept())
        try await store.close()
    }

    @Test func `signing out empties the cache of one user only`() async throws {
        let store = try await open()
        for uid in [anna, ben] { try await store.cache.store(page, of: uid) }

        try await store.cache.remove(of: anna)

        #expect(try await store.cache.entry(of: anna) == nil)
        #expect(try await store.cache.entry(of: ben)?.value == page)
        try await store.cache.remove(of: ben)
        #expect(try await store.cache.bytes() == 0)
        try await store.close()
    }

    @Test func `the least recently used entry of all users is removed first`() async throws {
        let size = 1000 + CacheEntry.overhead
        let store = try await open(maximumBytes: 3 * size)
        let value = [UInt8](repeating: 0x31, count: 1000)
        for uid in 1...3 as ClosedRange<UInt32> { try await store.cache.store(value, of: uid) }
        _ = try await store.cache.entry(of: 1)

        try await store.cache.store(value, of: 4)

        #expect(try await users(store) == [1, 3, 4])
        #expect(try await store.cache.bytes() == 3 * size)
        try await store.close()
    }

    @Test func `what is beyond its maximum age cannot be confirmed`() async throws {
        let store = try await open()
        try await store.cache.store(page, of: anna)
        clock.advance(by: 100)

        try await store.cache.confirm(of: anna)

        #expect(try await store.cache.entry(of: anna) == nil)
        #expect(try await store.cache.bytes() == 0)
        try await store.close()
    }

    @Test func `a use after a restart is later than all before it`() async throws {
        let size = 1000 + CacheEntry.overhead
        let value = [UInt8](repeating: 0x31, count: 1000)
        var store = try await open(maximumBytes: 2 * size)
        for uid in 1...2 as ClosedRange<UInt32> { try await store.cache.store(value, of: uid) }
        try await store.close()

        // At the same moment on the clock.
        store = try await open(maximumBytes: 2 * size)
        _ = try await store.cache.entry(of: 1)
        try await store.cache.store(value, of: 3)

        #expect(try await users(store) == [1, 3])
        try await store.close()
    }

    @Test func `a value that is bigger than the cache replaces no other user's entry`() async throws {
        let store = try await open(maximumBytes: 2000)
        try await store.cache.store(page, of: 1)
        try await store.cache.store(page, of: 2)

        try await store.cache.store([UInt8](repeating: 0x31, count: 2000), of: 2)

        #expect(try await users(store) == [1])
        try await store.close()
    }

    @Test func `any history of a cache is that of its model`() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = Seeded(seed)
        var model = CacheModel(maximumBytes: 4000)
        var store = try await open(maximumBytes: 4000)
        for step in 0..<400 {
            let uid = UInt32.random(in: 0..<12, using: &random)
            clock.advance(by: Double.random(in: 0..<8, using: &random).rounded())
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<8:
                let value = [UInt8](repeating: 0x32, count: Int.random(in: 1..<1500, using: &random))
                try await store.cache.store(value, of: uid)
                model.store(value, uid, now: clock.now)
            case 8..<14:
                let entry = try await store.cache.entry(of: uid)
                #expect(entry?.value == model.entry(uid, now: clock.now), "seed \(seed), step \(step)")
            case 14..<16:
                try await store.cache.confirm(of: uid)
                model.confirm(uid, now: clock.now)
            case 16..<18:
                try await store.cache.remove(of: uid)
                model.remove(uid, now: clock.now)
            case 18:
                // Uses since the last write are forgotten by a restart: a write notes them.
                try await store.cache.remove(of: 99)
                model.remove(99, now: clock.now)
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
        for uid in 1...2 as ClosedRange<UInt32> { try await store.cache.store(Array("value".utf8), of: uid) }
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
        let entry = try #require(try await store.cache.entry(of: 1))
        #expect(entry.fetchedAt <= clock.now)
        try await store.cache.store(Array("value".utf8), of: 3)
        _ = try await store.cache.entry(of: 3)
        try await store.cache.store([UInt8](repeating: 32, count: 9000), of: 4)
        #expect(try await store.cache.entry(of: 4) != nil)
        try await store.close()
    }

    @Test func `an empty value is a value`() async throws {
        let store = try await open()
        try await store.cache.store([], of: anna)
        #expect(try await store.cache.entry(of: anna)?.value == [])
        try await store.close()
    }

    /// The users 1 to 4 whose page is in the cache.
    private func users(_ store: StateStore) async throws -> [UInt32] {
        var users: [UInt32] = []
        for uid in 1...4 as ClosedRange<UInt32> where try await store.cache.entry(of: uid) != nil { users.append(uid) }
        return users
    }
}

/// What a cache is, in the simplest words.
struct CacheModel {
    struct Entry {
        let uid: UInt32
        var value: [UInt8]
        var fetchedAt: Date
        var size: Int { value.count + CacheEntry.overhead }
    }

    let maximumBytes: Int
    /// The least recently used first.
    var entries: [Entry] = []

    var bytes: Int { entries.reduce(0) { $0 + $1.size } }

    mutating func store(_ value: [UInt8], _ uid: UInt32, now: Date) {
        entries.removeAll { $0.uid == uid }
        entries.append(Entry(uid: uid, value: value, fetchedAt: now))
        settle(now)
    }

    mutating func entry(_ uid: UInt32, now: Date) -> [UInt8]? {
        guard let index = index(uid), now.timeIntervalSince(entries[index].fetchedAt) < 100 else { return nil }
        let entry = entries.remove(at: index)
        entries.append(entry)
        return entry.value
    }

    mutating func confirm(_ uid: UInt32, now: Date) {
        settle(now)
        if let index = index(uid) {
            var entry = entries.remove(at: index)
            entry.fetchedAt = now
            entries.append(entry)
        }
    }

    mutating func remove(_ uid: UInt32, now: Date) {
        entries.removeAll { $0.uid == uid }
        settle(now)
    }

    private func index(_ uid: UInt32) -> Int? {
        entries.firstIndex { $0.uid == uid }
    }

    private mutating func settle(_ now: Date) {
        entries.removeAll { now.timeIntervalSince($0.fetchedAt) >= 100 }
        while bytes > maximumBytes { entries.removeFirst() }
    }
}

import StorageChecks
import TestSupport
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

    @Test func `a value that is bigger than the cache replaces no other user's entry`() async throws {
        let store = try await open(maximumBytes: 2000)
        try await store.cache.store(page, of: 1)
        try await store.cache.store(page, of: 2)
        try await store.cache.store([UInt8](repeating: 0x31, count: 2000), of: 2)
        #expect(try await users(store) == [1])
        try await store.close()
    }

    @Test(arguments: [Int64.max, .min])
    func `numbers that a hand at the file has changed end no process`(number: Int64) async throws {
        var store = try await open(maximumBytes: 10_000)
        for uid in 1...2 as ClosedRange<UInt32> { try await store.cache.store(Array("value".utf8), of: uid) }
        try await store.close()
        try await change(directory, "UPDATE cache SET usedAt = \(number), fetchedAt = max(fetchedAt, \(number))")
        store = try await open(maximumBytes: 10_000)
        let entry = try #require(try await store.cache.entry(of: 1))
        #expect(entry.fetchedAt <= clock.now)
        try await store.cache.store(Array("value".utf8), of: 3)
        _ = try await store.cache.entry(of: 3)
        try await store.cache.store([UInt8](repeating: 32, count: 9000), of: 4)
        #expect(try await store.cache.entry(of: 4) != nil)
        try await store.close()
    }

    /// The users 1 to 4 whose page is in the cache.
    private func users(_ store: StateStore) async throws -> [UInt32] {
        var users: [UInt32] = []
        for uid in 1...4 as ClosedRange<UInt32> where try await store.cache.entry(of: uid) != nil { users.append(uid) }
        return users
    }
}

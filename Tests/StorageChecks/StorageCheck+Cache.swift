import TestSupport
import ViewModelStorage

extension StorageCheck {
    static let cache = [
        StorageCheck("the cache returns the last value of a user or nothing, and stays within its bounds") {
            fixture,
            random in
            try await checkCacheHistory(fixture, &random)
        },
        StorageCheck("the cache removes the least recently used values first, and a read is a use") { fixture, _ in
            var bounds = StoreBounds()
            let value = [UInt8](repeating: 0x31, count: 1000)
            bounds.cacheBytes = 3 * CacheEntry.bytes(value: value, etag: nil)
            try await fixture.withStore(bounds) { store in
                for uid in 1...3 as ClosedRange<UInt32> { try await store.cache.store(value, of: uid) }
                for uid in [2, 1] as [UInt32] { _ = try await store.cache.entry(of: uid) }
                try await store.cache.store(value, of: 4)
                try await store.cache.store(value, of: 5)
                var kept: [UInt32] = []
                for uid in 1...5 as ClosedRange<UInt32> where try await store.cache.entry(of: uid) != nil {
                    kept.append(uid)
                }
                try expect(kept, [1, 4, 5], "the users whose values are kept")
            }
        },
        StorageCheck("an expired value is not returned, and a confirmation makes it fresh again") { fixture, _ in
            var bounds = StoreBounds()
            bounds.cacheAge = .seconds(1000)
            try await fixture.withStore(bounds) { store in
                for uid in users { try await store.cache.store(Array("{}".utf8), etag: "\"\(uid)\"", of: uid) }
                try await fixture.pass(.seconds(600))
                try await store.cache.confirm(of: users[0])
                try await fixture.pass(.seconds(600))
                try expect(try await store.cache.entry(of: users[0])?.etag, "\"\(users[0])\"", "the confirmed value")
                try expect(try await store.cache.entry(of: users[1]), nil, "the expired value")
                try await store.cache.confirm(of: users[1])
                try expect(try await store.cache.entry(of: users[1]), nil, "the value that was confirmed too late")
            }
        },
    ]

    private static func checkCacheHistory(_ fixture: any StorageFixture, _ random: inout Seeded) async throws {
        var bounds = StoreBounds()
        bounds.cacheBytes = 2000
        var model: [UInt32: (value: [UInt8], etag: String?)] = [:]
        var store = try await fixture.open(bounds)
        for step in 0..<200 {
            let uid = UInt32.random(in: 1...8, using: &random)
            switch Int.random(in: 0..<12, using: &random) {
            case 0..<6:
                let value = [UInt8](repeating: .random(in: 0...255, using: &random), count: step % 5 * 300 + step % 2)
                let etag = Bool.random(using: &random) ? "\"\(step)\0é\"" : nil
                let time = try await store.cache.store(value, etag: etag, of: uid)
                let fits = CacheEntry.bytes(value: value, etag: etag) <= bounds.cacheBytes
                model[uid] = fits ? (value, etag) : nil
                try expect(time != nil, fits, "whether the value is kept, step \(step)")
                try expect(try await store.cache.entry(of: uid)?.fetchedAt, time, "the time of the value, step \(step)")
            case 6:
                model[uid] = nil
                try await store.cache.remove(of: uid)
            case 7: try await store.cache.confirm(of: uid)
            case 8:
                bounds.cacheBytes = Int.random(in: 0...3000, using: &random)
                store.adopt(bounds)
                // The bound applies from the next write on.
                try await store.cache.confirm(of: uid)
            case 9:
                if Bool.random(using: &random) { try await fixture.kill(store) } else { try await store.close() }
                store = try await fixture.open(bounds)
            default: break
            }
            var total = 0
            for uid in 1...8 as ClosedRange<UInt32> {
                guard let entry = try await store.cache.entry(of: uid) else {
                    model[uid] = nil
                    continue
                }
                try expect(entry.value, model[uid]?.value ?? [], "the value of \(uid), step \(step)")
                try expect(entry.etag, model[uid]?.etag, "the entity tag of \(uid), step \(step)")
                try expect(model[uid] != nil, "the cache has a removed value of \(uid), step \(step)")
                total += CacheEntry.bytes(value: entry.value, etag: entry.etag)
            }
            try expect(try await store.cache.bytes(), total, "the bytes, step \(step)")
            try expect(total <= bounds.cacheBytes, "\(total) bytes are more than \(bounds.cacheBytes), step \(step)")
        }
        try await store.close()
    }
}

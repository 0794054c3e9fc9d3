import TestSupport
import ViewModelStorage

extension StorageCheck {
    static let cache = [
        StorageCheck("the cache has a user's last value or nothing, and stays within its bounds") { fixture, random in
            try await checkCacheHistory(fixture, &random)
        },
        StorageCheck("the cache removes what was stored or confirmed longest ago") { fixture, _ in
            var bounds = StoreBounds()
            let value = [UInt8](repeating: 0x31, count: 1000)
            bounds.cacheBytes = 3 * CacheEntry.bytes(value: value, etag: nil)
            try await fixture.withStore(bounds) { store in
                for uid in 1...3 as ClosedRange<UInt32> {
                    try await store.cache.store(value, of: uid)
                    try await fixture.pass(.seconds(1))
                }
                try await store.cache.confirm(of: 1)
                try await store.cache.store(value, of: 4)
                try await store.cache.trim()
                var kept: [UInt32] = []
                for uid in 1...4 as ClosedRange<UInt32> where try await store.cache.entry(of: uid) != nil {
                    kept.append(uid)
                }
                try expect(kept, [1, 3, 4], "the users whose values are kept")
            }
        },
        StorageCheck("an expired value is not returned, and a confirmation makes it fresh again") { fixture, _ in
            var bounds = StoreBounds()
            bounds.cacheAge = .seconds(1000)
            try await fixture.withStore(bounds) { store in
                for uid in users { try await store.cache.store(Array("{}".utf8), etag: "\"\(uid)\"", of: uid) }
                try await fixture.pass(.seconds(600))
                try await store.cache.confirm(of: users[0])
                try await fixture.pass(.seconds(399))
                try expect(try await store.cache.entry(of: users[1])?.etag, "\"\(users[1])\"", "a value of 999 seconds")
                try await fixture.pass(.seconds(1))
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
        var model: [UInt32: CacheEntry] = [:]
        var store = try await fixture.open(bounds)
        for step in 0..<200 {
            let uid = UInt32.random(in: 1...8, using: &random)
            switch Int.random(in: 0..<12, using: &random) {
            case 0..<6:
                let value = [UInt8](repeating: .random(in: 0...255, using: &random), count: step % 5 * 300 + step % 2)
                let etag = Bool.random(using: &random) ? "\"\(step)\0é\"" : nil
                let time = try await store.cache.store(value, etag: etag, of: uid)
                let fits = CacheEntry.bytes(value: value, etag: etag) <= bounds.cacheBytes
                model[uid] = time.map { CacheEntry(value: value, etag: etag, fetchedAt: $0) }
                try expect(time != nil, fits, "whether the value is kept, step \(step)")
                try await fixture.pass(.seconds(1))
            case 6:
                model[uid] = nil
                try await store.cache.remove(of: uid)
            case 7...8:
                if Bool.random(using: &random) {
                    bounds.cacheBytes = Int.random(in: 0...3000, using: &random)
                    store.adopt(bounds)
                }
                let (entry, time) = (model[uid], try await store.cache.confirm(of: uid))
                if let entry, let time {
                    model[uid] = CacheEntry(value: entry.value, etag: entry.etag, fetchedAt: time)
                }
            case 9:
                if Bool.random(using: &random) { try await fixture.kill(store) } else { try await store.close() }
                store = try await fixture.open(bounds)
            default: break
            }
            try await store.cache.trim()
            var total = 0
            for uid in 1...8 as ClosedRange<UInt32> {
                guard let entry = try await store.cache.entry(of: uid) else {
                    model[uid] = nil
                    continue
                }
                try expect(entry, model[uid], "the entry of \(uid), step \(step)")
                total += CacheEntry.bytes(value: entry.value, etag: entry.etag)
            }
            try expect(total <= bounds.cacheBytes, "\(total) bytes are more than \(bounds.cacheBytes), step \(step)")
        }
        try await store.close()
    }
}

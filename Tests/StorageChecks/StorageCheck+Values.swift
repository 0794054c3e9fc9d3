import TestSupport
import ViewModelHost
import ViewModelStorage

extension StorageCheck {
    static let values = [
        StorageCheck("any history of the values of users and of the daemon is that of its model") { fixture, random in
            try await checkValueHistory(fixture, &random)
        }
    ]

    private static func checkValueHistory(_ fixture: any StorageFixture, _ random: inout Seeded) async throws {
        let areas = users.map { ValueArea.user($0) } + [.daemon]
        var bounds = StoreBounds()
        bounds.savedBytes = 100
        var model: [ValueArea: [SavedValue.Key: [UInt8]]] = [:]
        var store = try await fixture.open(bounds)
        for step in 0..<200 {
            let area = areas.randomElement(using: &random) ?? .daemon
            if Int.random(in: 0..<8, using: &random) == 0 {
                if Bool.random(using: &random) { try await fixture.kill(store) } else { try await store.close() }
                store = try await fixture.open(bounds)
            } else {
                var changed = model[area] ?? [:]
                var changes: [LastingChange] = []
                for owner in ["", "lab", "é"].shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random)) {
                    // What is put aside does not count.
                    let name = ["a", "b", "\u{1}aside 1 a"].randomElement(using: &random) ?? "a"
                    let key = SavedValue.Key(owner: owner, name: name)
                    let isErased = Int.random(in: 0..<4, using: &random) == 0
                    let length = Int.random(in: 1...50, using: &random)
                    let text = isErased ? nil : [UInt8](repeating: 0x31, count: length)
                    changes.append(LastingChange(key: key, text: text, known: changed[key]))
                    changed[key] = text
                }
                let counted = changed.filter(\.key.isCounted)
                let bytes = counted.reduce(0) { $0 + $1.key.owner.utf8.count + $1.key.name.utf8.count + $1.value.count }
                do {
                    try expect(try await store.sessions.save(changes, of: area), [:], "newer values, step \(step)")
                    try expect(bytes <= bounds.savedBytes, "\(bytes) bytes were saved, step \(step)")
                    model[area] = changed
                } catch is SavedStateTooLarge {
                    try expect(bytes > bounds.savedBytes, "\(bytes) bytes were refused, step \(step)")
                }
            }
            for area in areas {
                let found = try await store.sessions.loadValues(of: area)
                try expect(found, model[area] ?? [:], "the values of \(area), step \(step)")
            }
        }
        try await store.close()
    }
}

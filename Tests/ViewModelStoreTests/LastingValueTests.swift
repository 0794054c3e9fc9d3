import StorageChecks
import Foundation
import GRDB
import TestSupport
import Testing
import ViewModelHost

@testable import ViewModelStorage
@testable import ViewModelStore

@Suite struct LastingValueTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func value(_ owner: String, _ name: String, _ text: String?) -> SavedValue {
        SavedValue(key: .init(owner: owner, name: name), text: text.map { Array($0.utf8) })
    }

    private func texts(_ store: StateStore, of area: ValueArea) async throws -> [String: String] {
        let values = try await store.sessions.loadValues(of: area).map {
            ("\($0.owner).\($0.name)", String(decoding: $1, as: UTF8.self))
        }
        return Dictionary(uniqueKeysWithValues: values)
    }

    @Test func `values come back to their own user, and those of the daemon to nobody's`() async throws {
        var store = try await openStore(directory)
        try await store.sessions.save([value("a", "x", "1"), value("", "x", "2")], of: .user(anna))
        try await store.sessions.save([value("a", "x", "3")], of: .user(.max))
        try await store.sessions.save([value("a", "x", "4")], of: .daemon)
        try await store.sessions.save([value("a", "x", "5"), value("", "x", nil)], of: .user(anna))
        try await store.close()

        store = try await openStore(directory)
        #expect(try await texts(store, of: .user(anna)) == ["a.x": "5"])
        #expect(try await texts(store, of: .user(ben)).isEmpty)
        #expect(try await texts(store, of: .user(.max)) == ["a.x": "3"])
        #expect(try await texts(store, of: .daemon) == ["a.x": "4"])
        try await store.close()
    }

    @Test func `values stay as they were if they become too large together`() async throws {
        let store = try await openStore(directory) { $0.savedBytesPerSession = 10 }
        try await store.sessions.save([value("a", "x", "12345")], of: .user(anna))
        await #expect(throws: ValuesTooLarge.self) {
            try await store.sessions.save([value("a", "x", "1"), value("a", "y", "12345678")], of: .user(anna))
        }
        #expect(try await texts(store, of: .user(anna)) == ["a.x": "12345"])
        try await store.sessions.save([value("a", "x", "12345678")], of: .user(ben))
        try await store.close()
    }

    @Test func `values stay when sessions are erased`() async throws {
        let store = try await openStore(directory)
        let desk = SessionKey(uid: anna, name: "desk")
        try await store.sessions.save(SessionChanges(key: desk, instances: []))
        try await store.sessions.save([value("a", "x", "1")], of: .user(anna))
        try await store.sessions.erase(desk)
        try await store.sessions.eraseUnused(forDays: 0)
        #expect(try await texts(store, of: .user(anna)) == ["a.x": "1"])
        try await store.close()
    }

    @Test func `a file of the former version gets room for values and keeps its sessions`() async throws {
        let path = "\(directory.path)/viewmodeld.sqlite"
        do {
            let file = try DatabaseQueue(path: path)
            try Migrations.migrator.migrate(file, upTo: "3")
            try await file.write { db in
                try db.execute(sql: "INSERT INTO session (uid, name, usedAt) VALUES (?, 'desk', 0)", arguments: [anna])
            }
            try file.close()
        }
        let store = try await openStore(directory)
        #expect(try await store.sessions.load(SessionKey(uid: anna, name: "desk")) == SavedSession())
        try await store.sessions.save([value("a", "x", "1")], of: .user(anna))
        #expect(try await texts(store, of: .user(anna)) == ["a.x": "1"])
        try await store.close()
    }
}

import Accounts
import StorageChecks
import FoundationEssentials
import GRDB
import TestSupport
import Testing
import ViewModelHost

@testable import ViewModelStorage
@testable import ViewModelStore

/// What was removed is in no file of the state directory.
@Suite struct ErasureTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// The names of the files that hold a text.
    private func holders(of text: String) throws -> [String] {
        let wanted = Array(text.utf8)
        return try directory.names().filter { name in
            let bytes = try directory.bytes(name)
            return bytes.indices.contains { bytes[$0...].starts(with: wanted) }
        }
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `what was fetched for a user is gone when signing out returns, whatever was written before`(
        seed: UInt64
    ) async throws {
        var random = Seeded(seed)
        let store = try await openStore(directory)
        let secret = "+49*****17263"
        for round in 0..<60 {
            let uid: UInt32 = [anna, ben, 1002, 1003].randomElement(using: &random) ?? anna
            let padding = String(repeating: "x", count: Int.random(in: 0...9000, using: &random))
            let phone = uid == anna ? secret : "another number"
            try await store.cache.store(
                Array(#"{"phone":"\#(phone)","padding":"\#(padding)","again":"\#(phone)"}"#.utf8),
                of: uid
            )
            if round % 11 == 0 { try await store.outbox.add(padding, of: ben) }
        }
        try await store.cache.store(Array(secret.utf8), of: anna)
        #expect(try !holders(of: secret).isEmpty)

        try await store.cache.remove(of: anna)

        #expect(try holders(of: secret) == [], "seed \(seed)")
        #expect(try !holders(of: "another number").isEmpty)
        try await store.close()
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `a session is gone when erasing it returns, whatever it held before`(seed: UInt64) async throws {
        var random = Seeded(seed)
        let store = try await openStore(directory)
        let key = SessionKey(uid: anna, name: "desk")
        for round in 0..<60 {
            let padding = String(repeating: "x", count: Int.random(in: 0...9000, using: &random))
            let name = "value \(Int.random(in: 0..<5, using: &random))"
            let text = Array("\"a draft of mine \(padding) a draft of mine\"".utf8)
            let isOther = round % 3 == 0
            var changes = SessionChanges(key: isOther ? SessionKey(uid: ben, name: "\(round)") : key)
            changes.instances = [SavedInstance(id: "lab", type: "lab", arguments: nil)]
            let saved = isOther ? Array("\"\(padding)\"".utf8) : text
            changes.values = [SavedValue(key: .init(owner: "lab", name: name), text: saved)]
            try await store.sessions.save(changes)
        }
        #expect(try !holders(of: "a draft of mine").isEmpty)

        try await store.sessions.erase(key)

        #expect(try holders(of: "a draft of mine") == [], "seed \(seed)")
        try await store.close()
    }

    @Test func `a token is gone when it was removed, and with its lost key all that was fetched`() async throws {
        let store = try await openStore(directory)
        try await store.vault.store(.sample(), of: anna, provider: "a provider of anna's")
        try await store.vaultRecords.remove(of: anna, provider: "a provider of anna's")
        #expect(try holders(of: "a provider of anna's") == [])
        try await store.vault.store(.sample(), of: anna, provider: "another of anna's")
        try await store.cache.store(Array("+49*****17263".utf8), of: anna)
        try await store.cache.store(Array("another number".utf8), of: ben)
        try await store.close()
        KeyFile.remove("\(directory.path)/vault.key")
        let again = try await openStore(directory)
        #expect(try await again.vault.removeUnreadable() == 1)
        #expect(try holders(of: "another of anna's") == [])
        #expect(try holders(of: "+49*****17263") == [])
        #expect(try !holders(of: "another number").isEmpty)
        #expect(try await again.cache.entry(of: ben) != nil)
        try await again.close()
    }

    @Test func `erasing waits for no log while nothing was there to erase`() async throws {
        let store = try await openStore(directory)
        try await store.outbox.add("kept", of: anna)
        let before = try directory.bytes("viewmodeld.sqlite-wal").count
        #expect(before > 0)
        try await store.sessions.erase(SessionKey(uid: anna, name: "nope"))
        #expect(try directory.bytes("viewmodeld.sqlite-wal").count >= before)
        try await store.close()
    }

    @Test func `another process that reads delays an erasure, and does not make it fail`() async throws {
        let store = try await openStore(directory)
        try await store.cache.store(Array("mine".utf8), of: anna)
        let other = try await otherProcess(directory, "BEGIN; SELECT * FROM cache")
        try await store.cache.remove(of: anna)
        #expect(try await store.cache.entry(of: anna) == nil)
        try await other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
        try await store.close()
    }
}

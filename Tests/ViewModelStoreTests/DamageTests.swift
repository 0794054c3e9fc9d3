import Accounts
import StorageChecks
import TestSupport
import Testing
import ViewModelHost

@testable import ViewModelStorage
@testable import ViewModelStore

@Suite struct DamageTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test(arguments: ["no database", String(repeating: "neither is this one. ", count: 1000)])
    func `a file that is no database is refused and stays as it is`(text: String) async throws {
        try directory.write(Array(text.utf8), to: "viewmodeld.sqlite")
        let error = try #require(await openingError(directory))
        #expect(error.kind == .damaged)
        #expect(error.exitCode == 71)
        #expect(error.description.contains("\(directory.path)/viewmodeld.sqlite"))
        #expect(try directory.bytes("viewmodeld.sqlite") == Array(text.utf8))
        #expect(try !directory.names().contains("vault.key"))
    }

    @Test func `a file that lost its end is refused and stays as it is`() async throws {
        try await fill()
        let bytes = try Array(directory.bytes("viewmodeld.sqlite").dropLast(5000))
        try directory.write(bytes, to: "viewmodeld.sqlite")
        #expect(await openingError(directory)?.kind == .damaged)
        #expect(try directory.bytes("viewmodeld.sqlite") == bytes)
    }

    @Test func `flipped bytes are found or harmless, and never end the process`() async throws {
        try await fill()
        let sound = try directory.bytes("viewmodeld.sqlite")
        var random = Seeded(.random(in: 0...UInt64.max))
        var refused = 0
        // The first byte and the kind of the first page are never harmless. Half of the others hit the first page, too.
        let places =
            [0, 100]
            + (0..<150).map { _ in
                Int.random(in: 0..<(Bool.random(using: &random) ? 4096 : sound.count), using: &random)
            }
        for place in places {
            var bytes = sound
            bytes[place] ^= UInt8.random(in: 1...255, using: &random)
            let copy = try directory.copy()
            try copy.write(bytes, to: "viewmodeld.sqlite")
            do {
                let store = try await openStore(copy)
                await use(store)
                try? await store.close()
            } catch {
                refused += 1
                #expect([.damaged, .newerFile, .notWritable].contains(error.kind), "byte \(place): \(error)")
                #expect(try copy.bytes("viewmodeld.sqlite") == bytes, "byte \(place)")
            }
        }
        #expect(refused >= 2)
    }

    private func fill() async throws {
        let store = try await openStore(directory)
        for number in 0..<40 {
            try await store.outbox.add(String(repeating: "text \(number) ", count: 20), of: anna)
            try await store.cache.store(Array(repeating: 0x31, count: 500), of: anna + UInt32(number))
        }
        try await store.vault.store(.sample(), of: anna, provider: "http")
        _ = try await store.accounts.add(
            LocalAccount(account: "anna", password: PasswordHash(parameters: "p", salt: [1], hash: [2]))
        )
        try await store.sessions.save(
            SessionChanges(
                key: SessionKey(uid: anna, name: "desk"),
                instances: [SavedInstance(id: "calculator", type: "calculator", arguments: nil)],
                values: [SavedValue(key: .init(owner: "calculator", name: "brain"), text: [0x31])]
            )
        )
        try await store.close()
    }

    /// Uses everything; what fails, fails.
    private func use(_ store: StateStore) async {
        _ = try? await store.outbox.items(of: anna)
        _ = try? await store.outbox.add("one more", of: anna)
        _ = try? await store.outbox.claim(nil, of: anna)
        for number in 0..<40 as Range<UInt32> {
            _ = try? await store.cache.entry(of: anna + number)
        }
        _ = try? await store.cache.remove(of: anna)
        _ = try? await store.vault.token(of: anna, provider: "http")
        _ = try? await store.vault.rotate()
        _ = try? await store.accounts.account(named: "anna")
        _ = try? await store.sessions.load(SessionKey(uid: anna, name: "desk"))
        _ = try? await store.sessions.eraseUnused(forDays: 0)
    }
}

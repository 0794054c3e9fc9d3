@testable import Accounts
import TestSupport
import FoundationEssentials
import Synchronization
import Testing

@testable import ViewModelStorage
@testable import ViewModelStore

@Suite struct VaultTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func `no secret can be found in any file`() async throws {
        let store = try await openStore(directory)
        try await store.vault.store(.sample(1), of: anna, provider: "http")
        try await store.vault.rotate()
        try await store.vault.store(.sample(2), of: anna, provider: "http")
        try expectNoSecrets(in: store)
        try await store.vaultRecords.remove(of: anna, provider: "http")
        try expectNoSecrets(in: store)
        try await store.close()
        try expectNoSecrets(in: store)
    }

    @Test func `a store whose last token was removed has nothing to copy`() async throws {
        let store = try await openStore(directory)
        try await store.vault.store(.sample(), of: anna, provider: "http")
        #expect(try await !store.records().isEmpty)
        try await store.vaultRecords.remove(of: anna, provider: "http")
        #expect(try await store.records().isEmpty)
        try await store.close()
    }

    private func expectNoSecrets(in store: StateStore) throws {
        let key = store.vaultKeys.ring.withLock { $0.current }
        let raw = try #require(Data(base64Encoded: String(decoding: key.line.dropLast(), as: UTF8.self)))
        for name in try directory.names() where name != "vault.key" {
            let bytes = Data(try directory.bytes(name))
            for secret in ["access-token", "refresh-token", "oW8eiphu", "Ahx7ohqu", "anna@example.org"] {
                #expect(bytes.firstRange(of: Data(secret.utf8)) == nil, "\(secret) in \(name)")
            }
            #expect(bytes.firstRange(of: raw) == nil, "the key in \(name)")
            #expect(bytes.firstRange(of: Data(key.line.dropLast())) == nil, "the key in \(name)")
        }
    }

    @Test func `tokens, secrets, hashes and keys never print themselves`() {
        let token = VaultToken.sample()
        let hash = PasswordHash(parameters: "oW8eiphu", salt: [1], hash: [2])
        let key = VaultKey.random()
        let line = String(decoding: key.line.dropLast(), as: UTF8.self)
        let values: [Any] = [token, token.access, hash, key, Optional(token) as Any, [token], ["token": token.access]]
        for value in values {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), String(describing: value), dumped] {
                for secret in ["oW8eiphu", "Ahx7ohqu", "anna@", line] {
                    #expect(!text.contains(secret), "\(text)")
                }
            }
        }
    }

    @Test func `a row that was put in another place does not open`() async throws {
        let store = try await openStore(directory)
        try await store.vault.store(.sample(), of: anna, provider: "http")
        try await store.close()
        try await change(directory, "INSERT INTO vault SELECT \(ben), provider, keyID, sealed FROM vault")
        let again = try await openStore(directory)
        #expect(try await again.vault.token(of: anna, provider: "http") == .sample())
        #expect(try await failure { try await again.vault.token(of: ben, provider: "http") } == .damaged)
        try await again.close()
    }

    @Test func `a digest can be compared by all stores with the key, and by nobody else`() async throws {
        let (text, other) = (Array("sunshine123".utf8), Array("sunshine124".utf8))
        let store = try await openStore(directory)
        let digest = store.vaultKeys.digest(of: text)
        #expect(digest == store.vaultKeys.digest(of: text) && digest != store.vaultKeys.digest(of: other))
        #expect(
            digest.starts(with: store.vaultKeys.current.id.utf8)
                && digest.count == store.vaultKeys.current.id.utf8.count + 32
        )
        try await store.close()
        let again = try await openStore(directory)
        #expect(again.vaultKeys.digest(of: text) == digest)
        try await again.vault.rotate()
        #expect(again.vaultKeys.digest(of: text) != digest)
        try await again.close()
        let stranger = try await openStore(TemporaryDirectory())
        #expect(stranger.vaultKeys.digest(of: text).suffix(32) != digest.suffix(32))
        try await stranger.close()
    }
}

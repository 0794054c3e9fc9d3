@testable import Accounts
import FoundationEssentials
import Glibc
import TestSupport
import Testing

@testable import ViewModelStorage
@testable import ViewModelStore

@Suite struct VaultKeyTests {
    let directory: TemporaryDirectory
    let elsewhere: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        elsewhere = try TemporaryDirectory()
    }

    private var keyFile: String { "\(directory.path)/vault.key" }

    /// The names of the files of keys beside the database.
    private func keyFiles() throws -> [String] { try directory.names().filter { $0.hasPrefix("vault") } }

    private func token(_ store: StateStore, of uid: UInt32 = anna) async throws -> VaultToken? {
        try await store.vault.token(of: uid, provider: "http")
    }

    /// Keeps a token of `anna` in a store of its own.
    private func keepToken(
        _ number: Int = 1,
        _ adjust: (inout StateStoreConfiguration) -> Void = { _ in }
    ) async throws {
        try await withStore(directory, adjusting: adjust) {
            try await $0.vault.store(.sample(number), of: anna, provider: "http")
        }
    }

    private func expectToken(
        _ number: Int = 1,
        _ adjust: (inout StateStoreConfiguration) -> Void = { _ in },
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let found = try await withStore(directory, adjusting: adjust) { try await token($0) }
        #expect(found == .sample(number), sourceLocation: sourceLocation)
    }

    @Test func `a wrong key is an error that loses nothing, and its tokens can be signed out`() async throws {
        try await keepToken()
        let right = try directory.bytes("vault.key")
        try directory.write(VaultKey.random().line, to: "vault.key")
        try await withStore(directory) { store async throws in
            let vault = store.vault
            #expect(try await failure { try await token(store) } == .wrongKey)
            for uid in [anna, ben] {
                #expect(try await failure { try await vault.store(.sample(9), of: uid, provider: "http") } == .wrongKey)
            }
            #expect(try await failure { try await vault.rotate() } == .wrongKey)
            #expect(try await failure { try await vault.verify() } == .wrongKey)
            #expect(try await token(store, of: ben) == nil)
        }
        try directory.write(right, to: "vault.key")
        try await withStore(directory) { try await $0.vault.verify() }
        try await expectToken()

        try directory.write(VaultKey.random().line, to: "vault.key")
        try await withStore(directory) { store in
            try await store.vaultRecords.remove(of: anna, provider: "http")
            try await store.vault.verify()
        }
    }

    @Test func `where the key is missing every command refuses but the one that gives it up, and no file is made`()
        async throws
    {
        try await keepToken()
        let key = try directory.bytes("vault.key")
        KeyFile.remove(keyFile)
        try elsewhere.write(key, to: "former.key")
        try await withStore(directory) { store async throws in
            let (vault, former) = (store.vault, "\(elsewhere.path)/former.key")
            #expect(try await failure { try await vault.verify() } == .wrongKey)
            #expect(try await failure { try await vault.rotate() } == .wrongKey)
            #expect(try await failure { try await vault.adopt(formerKeyFile: former) } == .wrongKey)
            #expect(try keyFiles() == [])
        }
        try directory.write(key, to: "vault.key")
        try await expectToken()
    }

    @Test func `a key that was given up is followed by one that outlasts the process`() async throws {
        try await keepToken()
        KeyFile.remove(keyFile)
        try await withStore(directory) { store in
            #expect(try await failure { try await store.vault.verify() } == .wrongKey)
            #expect(try await store.vault.removeUnreadable() == 1)
            try await store.vault.verify()
        }
        try await keepToken(2)
        try await expectToken(2)
        // The last token of a missing key is removed by a sign-out.
        KeyFile.remove(keyFile)
        try await withStore(directory) { try await $0.vaultRecords.remove(of: anna, provider: "http") }
        try await keepToken(3)
        try await expectToken(3)
    }

    @Test func `a key is written to its file once`() async throws {
        try await keepToken()
        KeyFile.remove(keyFile)
        try await withStore(directory) { store in
            try await store.vault.removeUnreadable()
            // What the administrator puts there later is not replaced.
            let other = VaultKey.random().line
            try directory.write(other, to: "vault.key")
            try await store.vault.store(.sample(2), of: anna, provider: "http")
            #expect(try directory.bytes("vault.key") == other)
        }
    }

    @Test(arguments: [VaultKeySource.Origin.credential, .configured])
    func `a key of another place that is not at hand is not given up without a word`(
        origin: VaultKeySource.Origin
    ) async throws {
        try elsewhere.write(VaultKey.random().line, to: "viewmodeld.key")
        let handOver: (inout StateStoreConfiguration) -> Void = {
            if origin == .credential {
                $0.credentialsDirectory = elsewhere.path
            } else {
                $0.keyFile = "\(elsewhere.path)/viewmodeld.key"
            }
        }
        try await keepToken(1, handOver)

        // Without the key, and then with one of the store's own that was made since.
        for own in [nil, VaultKey.random()] {
            if let own { try directory.write(own.line, to: "vault.key") }
            let before = try keyFiles()
            let store = try await openStore(directory)
            for (isOfCommand, work) in [
                (true, { vault in try await vault.rotate() }), (true, { vault in try await vault.removeUnreadable() }),
                // The daemon verifies its vault when it starts.
                (false, { vault in try await vault.verify() }),
            ] as [(Bool, (Vault) async throws -> Void)] {
                let vault = store.vault
                let error = await #expect(throws: StoreError.self) { try await work(vault) }
                #expect(error?.kind == .wrongKey)
                let remedy = origin == .credential ? "LoadCredentialEncrypted=viewmodeld.key" : "vault.keyFile"
                #expect(error?.description.contains(remedy) == true)
                #expect(error?.description.contains("Run the command") == isOfCommand)
                #expect(error?.description.contains("--key-is-lost") == true)
            }
            try await store.close()
            #expect(try keyFiles() == before)
        }
        KeyFile.remove(keyFile)
        try await expectToken(1, handOver)
        try await withStore(directory) { store in
            #expect(try await store.vault.removeUnreadable(keyIsLost: true) == 1)
            try await store.vault.verify()
        }
    }

    @Test func `a credential is exchanged by adopting what the former one encrypted, or by giving it up`() async throws
    {
        let former = VaultKey.random()
        try elsewhere.write(former.line, to: "viewmodeld.key")
        let handOver: (inout StateStoreConfiguration) -> Void = { $0.credentialsDirectory = elsewhere.path }
        try await keepToken(1, handOver)
        let refusal = try await withStore(directory, adjusting: handOver) { store in
            try await failure { try await store.vault.rotate() }
        }
        #expect(refusal == .unusableKey)
        try elsewhere.write(former.line, to: "former.key")
        try elsewhere.write(VaultKey.random().line, to: "viewmodeld.key")
        try await withStore(directory, adjusting: handOver) { store in
            try await store.vault.adopt(formerKeyFile: "\(elsewhere.path)/former.key")
            #expect(try await token(store) == .sample())
        }
        try await expectToken(1, handOver)
        try elsewhere.write(VaultKey.random().line, to: "viewmodeld.key")
        let removed = try await withStore(directory, adjusting: handOver) { try await $0.vault.removeUnreadable() }
        #expect(removed == 1)
        #expect(try keyFiles() == [])
    }

    @Test(arguments: ["", "short", "AAAA", String(repeating: "A", count: 44), String(repeating: "A", count: 3000)])
    func `a file that is not a key is refused and stays unchanged`(text: String) async throws {
        try directory.write(Array(text.utf8), to: "vault.key")
        let error = try #require(await openingError(directory))
        #expect(error.kind == .unusableKey && error.exitCode == 78)
        #expect(error.description.contains(keyFile))
        #expect(text.isEmpty || !error.description.contains(text))
        #expect(try directory.bytes("vault.key") == Array(text.utf8))
    }

    @Test(arguments: [0o644, 0o604, 0o620, 0o640, 0o610] as [UInt32])
    func `a key that is open to others is refused`(mode: UInt32) async throws {
        try directory.write(VaultKey.random().line, to: "vault.key", mode: mode)
        #expect(await openingError(directory)?.kind == .unusableKey)
    }

    @Test func `a configured key goes before a credential, and that before the store's own`() async throws {
        let (configured, credential) = (VaultKey.random(), VaultKey.random())
        try elsewhere.write(credential.line, to: "viewmodeld.key", mode: 0o440)
        try elsewhere.write(configured.line, to: "configured.key")
        func key(_ keyFile: String?, _ credentials: String) async throws -> String {
            let store = try await openStore(directory) {
                $0.keyFile = keyFile
                $0.credentialsDirectory = credentials
            }
            try await store.close()
            return store.vaultKeys.current.id
        }
        #expect(try await key("\(elsewhere.path)/configured.key", elsewhere.path) == configured.id)
        #expect(try await key(nil, elsewhere.path) == credential.id)
        #expect(try keyFiles() == [])
        #expect(try await key(nil, directory.path) == VaultKey(base64: directory.bytes("vault.key"))?.id)
    }

    @Test func `a configured key that is missing is not made`() async throws {
        let error = await openingError(directory) { $0.keyFile = "\(elsewhere.path)/none" }
        #expect(error?.kind == .unusableKey)
        #expect(try elsewhere.names().isEmpty)
    }

    @Test func `the rest of a first key that was not completed does no harm`() async throws {
        try directory.write(Array("half a k".utf8), to: "vault.key.new")
        #expect(await openingError(directory) == nil)
        #expect(try keyFiles() == ["vault.key"])
    }

    @Test(.enabled(if: geteuid() == 0, "Other owners need root"))
    func `a key of another user is refused, but not the administrator's`() async throws {
        try directory.write(VaultKey.random().line, to: "vault.key")
        chown(keyFile, 65534, 65534)
        let error = try #require(await openingError(directory))
        #expect(error.kind == .unusableKey && error.exitCode == 78)
        #expect(error.description.contains("belongs to another user (65534)"))
        chown(keyFile, 0, 0)
        #expect(await openingError(directory) == nil)
    }

    @Test func `a credential that the configuration names may have an access list`() async throws {
        try elsewhere.write(VaultKey.random().line, to: "other.key", mode: 0o440)
        let file = "\(elsewhere.path)/other.key"
        let isCredential = await openingError(directory) {
            $0.keyFile = file
            $0.credentialsDirectory = elsewhere.path
        }
        #expect(isCredential == nil)
        #expect(await openingError(directory) { $0.keyFile = file }?.kind == .unusableKey)
    }

    @Test func `the next key of a rotation is never removed unread`() async throws {
        try await keepToken()
        let next = VaultKey.random()
        // Open to others, as after a restore: it is not read.
        try directory.write(next.line, to: "vault.key.new", mode: 0o644)
        try await withStore(directory) { store async throws in
            #expect(try await token(store) == .sample())
            #expect(try await failure { try await store.vault.rotate() } == .unusableKey)
            #expect(try await token(store) == .sample())
        }
        #expect(try directory.bytes("vault.key.new") == next.line)

        // The key in use is the one that cannot be read: nothing may be removed or made anew.
        let current = try directory.bytes("vault.key")
        try directory.write(current, to: "vault.key.new", mode: 0o644)
        KeyFile.remove(keyFile)
        let error = try #require(await openingError(directory))
        #expect(error.kind == .unusableKey && error.path.hasSuffix("vault.key.new"))
        #expect(try directory.bytes("vault.key.new") == current)
        #expect(try keyFiles() == ["vault.key.new"])

        chmod("\(directory.path)/vault.key.new", 0o600)
        try await expectToken()
    }
}

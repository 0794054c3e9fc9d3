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

    @Test func `a wrong key is an error that loses nothing`() async throws {
        try await keepToken()
        let right = try directory.bytes("vault.key")
        try directory.write(VaultKey.random().line, to: "vault.key")

        let store = try await openStore(directory)
        let vault = store.vault
        #expect(
            await failure { () throws(StoreError) in _ = try await vault.token(of: anna, provider: "http") }
                == .wrongKey
        )
        #expect(
            await failure { () throws(StoreError) in try await vault.store(.sample(9), of: anna, provider: "http") }
                == .wrongKey
        )
        #expect(
            await failure { () throws(StoreError) in try await vault.store(.sample(9), of: ben, provider: "http") }
                == .wrongKey
        )
        #expect(await failure { () throws(StoreError) in try await vault.rotate() } == .wrongKey)
        #expect(await failure { () throws(StoreError) in try await vault.verify() } == .wrongKey)
        #expect(try await vault.token(of: ben, provider: "http") == nil)
        try await store.close()

        try directory.write(right, to: "vault.key")
        let again = try await openStore(directory)
        try await again.vault.verify()
        #expect(try await again.vault.token(of: anna, provider: "http") == .sample())
        try await again.close()
    }

    @Test func `a lost key can be given up, and what it locked away with it`() async throws {
        try await keepToken()
        KeyFile.remove("\(directory.path)/vault.key")

        let store = try await openStore(directory)
        #expect(await failure { () throws(StoreError) in try await store.vault.verify() } == .wrongKey)
        #expect(try await store.vault.removeUnreadable() == 1)
        try await store.vault.verify()
        try await store.vault.store(.sample(2), of: anna, provider: "http")
        #expect(try await store.vault.token(of: anna, provider: "http") == .sample(2))
        try await store.close()
    }

    @Test func `where the key is missing every command refuses but the one that gives it up, and no file is made`()
        async throws
    {
        try await keepToken()
        let before = try directory.bytes("vault.key")
        KeyFile.remove("\(directory.path)/vault.key")
        try elsewhere.write(before, to: "former.key")

        let store = try await openStore(directory)
        let vault = store.vault
        #expect(await failure { () throws(StoreError) in try await vault.verify() } == .wrongKey)
        #expect(await failure { () throws(StoreError) in try await vault.rotate() } == .wrongKey)
        #expect(
            await failure { () throws(StoreError) in
                try await vault.adopt(formerKeyFile: "\(elsewhere.path)/former.key")
            } == .wrongKey
        )
        #expect(try directory.names().filter { $0.hasPrefix("vault") } == [])
        try await store.close()

        try directory.write(before, to: "vault.key")
        let again = try await openStore(directory)
        #expect(try await again.vault.token(of: anna, provider: "http") == .sample())
        try await again.close()
    }

    @Test func `a key that was given up is followed by one that outlasts the process`() async throws {
        try await keepToken()
        KeyFile.remove("\(directory.path)/vault.key")
        var store = try await openStore(directory)
        try await store.vault.removeUnreadable()
        try await store.vault.store(.sample(2), of: ben, provider: "http")
        try await store.close()
        store = try await openStore(directory)
        #expect(try await store.vault.token(of: ben, provider: "http") == .sample(2))
        // The last token of a missing key is removed by a sign-out.
        try await store.close()
        KeyFile.remove("\(directory.path)/vault.key")
        store = try await openStore(directory)
        try await store.vault.remove(of: ben, provider: "http")
        try await store.vault.store(.sample(3), of: anna, provider: "http")
        try await store.close()
        store = try await openStore(directory)
        #expect(try await store.vault.token(of: anna, provider: "http") == .sample(3))
        try await store.close()
    }

    @Test(arguments: [VaultKeySource.Origin.credential, .configured])
    func `a key of another place that is not at hand is not given up without a word`(
        origin: VaultKeySource.Origin
    ) async throws {
        let key = VaultKey.random()
        try elsewhere.write(key.line, to: "viewmodeld.key")
        let handOver: (inout StateStoreConfiguration) -> Void = {
            if origin == .credential {
                $0.credentialsDirectory = elsewhere.path
            } else {
                $0.keyFile = "\(elsewhere.path)/viewmodeld.key"
            }
        }
        var store = try await openStore(directory, handOver)
        try await store.vault.store(.sample(), of: anna, provider: "http")
        try await store.close()

        // Without the key, and then with one of the store's own that was made since.
        for own in [nil, VaultKey.random()] {
            if let own { try directory.write(own.line, to: "vault.key") }
            let before = try directory.names()
            store = try await openStore(directory)
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
            #expect(try directory.names().filter { $0.hasPrefix("vault") } == before.filter { $0.hasPrefix("vault") })
        }
        KeyFile.remove("\(directory.path)/vault.key")
        store = try await openStore(directory, handOver)
        #expect(try await store.vault.token(of: anna, provider: "http") == .sample())
        try await store.close()

        store = try await openStore(directory)
        #expect(try await store.vault.removeUnreadable(keyIsLost: true) == 1)
        try await store.vault.verify()
        try await store.close()
    }

    @Test func `a credential that replaces a lost one may give up what that one encrypted`() async throws {
        try elsewhere.write(VaultKey.random().line, to: "viewmodeld.key")
        var store = try await openStore(directory) { $0.credentialsDirectory = elsewhere.path }
        try await store.vault.store(.sample(), of: anna, provider: "http")
        try await store.close()
        try elsewhere.write(VaultKey.random().line, to: "viewmodeld.key")
        store = try await openStore(directory) { $0.credentialsDirectory = elsewhere.path }
        #expect(try await store.vault.removeUnreadable() == 1)
        try await store.close()
        #expect(try !directory.names().contains("vault.key"))
    }

    @Test func `a token under a wrong key can be signed out`() async throws {
        try await keepToken()
        try directory.write(VaultKey.random().line, to: "vault.key")

        let store = try await openStore(directory)
        try await store.vault.remove(of: anna, provider: "http")
        try await store.vault.verify()
        try await store.close()
    }

    @Test(arguments: ["", "short", "AAAA", String(repeating: "A", count: 44), String(repeating: "A", count: 3000)])
    func `a file that is not a key is refused and stays unchanged`(text: String) async throws {
        try directory.write(Array(text.utf8), to: "vault.key")

        let error = try #require(await openingError(directory))

        #expect(error.kind == .unusableKey)
        #expect(error.exitCode == 78)
        #expect(error.description.contains("\(directory.path)/vault.key"))
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

        for (keyFile, credentials, expected) in [
            ("\(elsewhere.path)/configured.key", elsewhere.path, configured.id),
            (nil, elsewhere.path, credential.id),
        ] {
            let store = try await openStore(directory) {
                $0.keyFile = keyFile
                $0.credentialsDirectory = credentials
            }
            #expect(store.vaultKeys.current.id == expected)
            try await store.close()
        }
        #expect(try !directory.names().contains("vault.key"))

        let store = try await openStore(directory) { $0.credentialsDirectory = directory.path }
        #expect(store.vaultKeys.current.id == VaultKey(base64: try directory.bytes("vault.key"))?.id)
        try await store.close()
    }

    @Test func `a configured key that is missing is not made`() async throws {
        let error = await openingError(directory) { $0.keyFile = "\(elsewhere.path)/none" }

        #expect(error?.kind == .unusableKey)
        #expect(try elsewhere.names().isEmpty)
    }

    @Test func `a credential is exchanged by adopting what the former one encrypted`() async throws {
        let former = VaultKey.random()
        try elsewhere.write(former.line, to: "viewmodeld.key")
        var store = try await openStore(directory) { $0.credentialsDirectory = elsewhere.path }
        try await store.vault.store(.sample(), of: anna, provider: "http")
        #expect(await failure { () throws(StoreError) in try await store.vault.rotate() } == .unusableKey)
        try await store.close()

        try elsewhere.write(former.line, to: "former.key")
        try elsewhere.write(VaultKey.random().line, to: "viewmodeld.key")
        store = try await openStore(directory) { $0.credentialsDirectory = elsewhere.path }
        try await store.vault.adopt(formerKeyFile: "\(elsewhere.path)/former.key")
        #expect(try await store.vault.token(of: anna, provider: "http") == .sample())
        try await store.close()
        store = try await openStore(directory) { $0.credentialsDirectory = elsewhere.path }
        #expect(try await store.vault.token(of: anna, provider: "http") == .sample())
        try await store.close()
    }

    @Test func `the rest of a first key that was not completed does no harm`() async throws {
        try directory.write(Array("half a k".utf8), to: "vault.key.new")

        let store = try await openStore(directory)

        #expect(try directory.names().filter { $0.hasPrefix("vault") } == ["vault.key"])
        try await store.close()
    }

    @Test func `a key of another user is refused, but not the administrator's`() async throws {
        guard geteuid() == 0 else { return }
        try directory.write(VaultKey.random().line, to: "vault.key")
        chown("\(directory.path)/vault.key", 65534, 65534)
        let error = try #require(await openingError(directory))
        #expect(error.kind == .unusableKey && error.exitCode == 78)
        #expect(error.description.contains("belongs to another user (65534)"))
        chown("\(directory.path)/vault.key", 0, 0)
        #expect(await openingError(directory) == nil)
    }

    @Test func `a credential that the configuration names may have an access list`() async throws {
        let key = VaultKey.random()
        try elsewhere.write(key.line, to: "other.key", mode: 0o440)
        let store = try await openStore(directory) {
            $0.keyFile = "\(elsewhere.path)/other.key"
            $0.credentialsDirectory = elsewhere.path
        }
        #expect(store.vaultKeys.current.id == key.id)
        try await store.close()
        #expect(await openingError(directory) { $0.keyFile = "\(elsewhere.path)/other.key" }?.kind == .unusableKey)
    }

    @Test func `the next key of a rotation is never removed unread`() async throws {
        try await keepToken()
        let next = VaultKey.random()
        // Open to others, as after a restore: it is not read.
        try directory.write(next.line, to: "vault.key.new", mode: 0o644)
        var store = try await openStore(directory)
        #expect(try await store.vault.token(of: anna, provider: "http") == .sample())
        #expect(await failure { () throws(StoreError) in try await store.vault.rotate() } == .unusableKey)
        #expect(try await store.vault.token(of: anna, provider: "http") == .sample())
        try await store.close()
        #expect(try directory.bytes("vault.key.new") == next.line)

        // The key in use is the one that cannot be read: nothing may be removed or made anew.
        let current = try directory.bytes("vault.key")
        try directory.write(current, to: "vault.key.new", mode: 0o644)
        KeyFile.remove("\(directory.path)/vault.key")
        let error = try #require(await openingError(directory))
        #expect(error.kind == .unusableKey && error.path.hasSuffix("vault.key.new"))
        #expect(try directory.bytes("vault.key.new") == current)
        #expect(try !directory.names().contains("vault.key"))

        chmod("\(directory.path)/vault.key.new", 0o600)
        store = try await openStore(directory)
        #expect(try await store.vault.token(of: anna, provider: "http") == .sample())
        try await store.close()
    }

    private func keepToken() async throws {
        let store = try await openStore(directory)
        try await store.vault.store(.sample(), of: anna, provider: "http")
        try await store.close()
    }
}

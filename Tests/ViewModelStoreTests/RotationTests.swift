@testable import Accounts
import TestSupport
import FoundationEssentials
import Synchronization
import Testing

@testable import ViewModelStorage
@testable import ViewModelStore

@Suite struct RotationTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func `after a rotation the new key opens everything and the former one nothing`() async throws {
        let store = try await openStore(directory)
        try await store.vault.store(.sample(1), of: anna, provider: "http")
        try await store.vault.store(.sample(2), of: ben, provider: "http")
        let former = try directory.bytes("vault.key")
        let formerID = store.vaultKeys.current.id

        try await store.vault.rotate()

        #expect(store.vaultKeys.current.id != formerID)
        #expect(try directory.bytes("vault.key") != former)
        #expect(try directory.mode("vault.key") == 0o600)
        #expect(try !directory.names().contains("vault.key.new"))
        #expect(try await store.vault.token(of: anna, provider: "http") == .sample(1))
        try await store.close()

        let kept = try await withStore(directory) { try await $0.vault.token(of: ben, provider: "http") }
        #expect(kept == .sample(2))
        try directory.write(former, to: "vault.key")
        let wrong = try await withStore(directory) { store in try await failure { try await store.vault.verify() } }
        #expect(wrong == .wrongKey)
    }

    @Test(arguments: [0, 1, 50])
    func `a death at any moment of a rotation loses nothing`(tokens: Int) async throws {
        let store = try await openStore(directory)
        for number in 0..<tokens {
            try await store.vault.store(.sample(number), of: UInt32(number), provider: "http")
        }
        let remains = Mutex<[(RotationStep, TemporaryDirectory)]>([])
        let living = directory

        try await store.vault.rotate { step in
            guard let copy = try? living.copy() else { return }
            remains.withLock { $0.append((step, copy)) }
        }

        let copies = remains.withLock { $0 }
        #expect(copies.map(\.0) == RotationStep.allCases)
        for (step, copy) in copies {
            for _ in 1...2 {
                let heir = try await openStore(copy)
                try await heir.vault.verify()
                for number in 0..<tokens {
                    #expect(
                        try await heir.vault.token(of: UInt32(number), provider: "http") == .sample(number),
                        "\(step)"
                    )
                }
                try await heir.vault.store(.sample(tokens), of: UInt32(tokens), provider: "http")
                try await heir.close()
                #expect(try copy.names().filter { $0.hasPrefix("vault") } == ["vault.key"], "\(step)")
            }
        }
        try await store.close()
    }

    @Test func `a key that cannot take its place is not lost, neither by a restart nor by the next rotation`()
        async throws
    {
        let store = try await openStore(directory)
        try await store.vault.store(.sample(), of: anna, provider: "http")
        let place = "\(directory.path)/vault.key"

        try? await store.vault.rotate { step in
            guard step == .tokensEncrypted else { return }
            try? FileManager.default.removeItem(atPath: place)
            try? FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        }
        let vault = store.vault
        #expect(try await failure { try await vault.rotate() } == .unusableKey)
        #expect(try await store.vault.token(of: anna, provider: "http") == .sample())
        let waiting = try directory.bytes("vault.key.new")
        #expect(VaultKey(base64: waiting)?.id == store.vaultKeys.current.id)

        try FileManager.default.removeItem(atPath: place)
        let remains = Mutex([try directory.copy()])
        let living = directory
        try await store.vault.rotate { step in
            guard step == .nextKeyWritten, let copy = try? living.copy() else { return }
            remains.withLock { $0.append(copy) }
        }
        #expect(try await store.vault.token(of: anna, provider: "http") == .sample())
        try await store.close()

        let copies = remains.withLock { $0 }
        #expect(copies.count == 2)
        for copy in copies {
            let token = try await withStore(copy) { try await $0.vault.token(of: anna, provider: "http") }
            #expect(token == .sample())
            #expect(try copy.bytes("vault.key") == waiting)
        }
    }

    @Test func `a key behind a link is replaced where the link leads`() async throws {
        let elsewhere = try TemporaryDirectory()
        try elsewhere.write(VaultKey.random().line, to: "real.key")
        let link = "\(directory.path)/link.key"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "\(elsewhere.path)/real.key")
        let store = try await openStore(directory) { $0.keyFile = link }
        try await store.vault.rotate()
        #expect(VaultKey(base64: try elsewhere.bytes("real.key"))?.id == store.vaultKeys.current.id)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "\(elsewhere.path)/real.key")
        try await store.close()
    }
}

import Accounts
import GRDB
import Glibc
import Logging
import TestSupport
import Testing
import ViewModelHost

@testable import ViewModelStorage
@testable import ViewModelStore

/// Restores into a state directory that no daemon uses.
@Suite struct RestoreTests {
    let directory: TemporaryDirectory
    let place: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        place = try TemporaryDirectory()
    }

    private var file: String { "\(place.path)/backup" }

    @Test func `the former database is kept, with what was still in its log`() async throws {
        let store = try await openStore(directory)
        try await store.outbox.add("old", of: anna)
        _ = try await backUp(directory, to: file)
        try await store.outbox.add("new", of: anna)
        // The files that a killed daemon leaves.
        let killed = try directory.copy()
        try await store.close()
        #expect(try !killed.bytes("viewmodeld.sqlite-wal").isEmpty)
        let restored = try await restore(file, into: killed)
        #expect(try await outboxTexts(killed) == ["old"])
        let former = try #require(restored.formerPath)
        #expect(former.hasPrefix("\(killed.path)/viewmodeld.sqlite.before-restore-"))
        try await restore(former, into: killed)
        #expect(try await outboxTexts(killed) == ["old", "new"])
        for name in try killed.names() { #expect(try killed.mode(name) == 0o600, "\(name)") }
    }

    @Test func `a former database that another process has open is not replaced, and loses nothing`() async throws {
        let store = try await openStore(directory)
        try await store.outbox.add("old", of: anna)
        _ = try await backUp(directory, to: file)
        try await store.outbox.add("new", of: anna)
        let killed = try directory.copy()
        try await store.close()
        let names = try killed.names()
        let other = try await otherProcess(killed, "")
        for isReading in [true, false] {
            let error = await #expect(throws: StoreError.self) {
                if isReading { try other.inDatabase { try $0.execute(sql: "BEGIN; SELECT count(*) FROM outbox") } }
                try await restore(file, into: killed)
            }
            #expect(error?.kind == .locked && error?.exitCode == 73)
            #expect(try Set(killed.names()).isSubset(of: names + ["viewmodeld.sqlite-shm"]))
            if isReading { try other.inDatabase { try $0.execute(sql: "COMMIT") } }
        }
        try other.close()
        #expect(try await outboxTexts(killed) == ["old", "new"])
        try await restore(file, into: killed)
        #expect(try await outboxTexts(killed) == ["old"])
    }

    @Test func `two restores in one second keep both former databases`() async throws {
        try await openStore(directory).close()
        _ = try await backUp(directory, to: file)
        var former: Set<String> = []
        for _ in 1...4 { former.insert(try #require(try await restore(file, into: directory).formerPath)) }
        #expect(former.count == 4)
        #expect(try directory.names().count { $0.contains("before-restore") } == 4)
    }

    @Test func `a damaged former database does not prevent a restore, and is kept byte for byte`() async throws {
        try await openStore(directory).close()
        _ = try await backUp(directory, to: file)
        let damaged = Array("this is no database".utf8)
        try directory.write(damaged, to: "viewmodeld.sqlite")
        try directory.write(damaged, to: "viewmodeld.sqlite-wal")
        let former = try #require(try await restore(file, into: directory).formerPath)
        let name = String(former.dropFirst(directory.path.count + 1))
        #expect(try directory.bytes(name) == damaged)
        #expect(try directory.bytes("\(name)-wal") == damaged)
        #expect(try await outboxTexts(directory) == [])
    }

    @Test func `a log without its database is kept, and not applied to the restored one`() async throws {
        let store = try await openStore(directory)
        _ = try await backUp(directory, to: file)
        try await store.outbox.add("in the log", of: anna)
        let log = try directory.bytes("viewmodeld.sqlite-wal")
        try await store.close()
        let other = try TemporaryDirectory()
        try other.write(log, to: "viewmodeld.sqlite-wal")
        #expect(try await restore(file, into: other).formerPath == nil)
        #expect(try await outboxTexts(other) == [])
        let kept = try other.names().filter { $0.contains("before-restore") }
        #expect(try kept.count == 1 && kept[0].hasSuffix("-wal") && other.bytes(kept[0]) == log)
    }

    /// Files that are not restored, and a part of the reason.
    @Test(arguments: [
        ("text", "no database", 71), ("empty", "no database", 71), ("application", "no database", 71),
        ("migrated application", "no database", 71), ("cut", "damaged", 71), ("flipped", "damaged", 71),
        ("changed", "other tables", 71), ("newer", "newer version", 71), ("missing", "cannot be read", 73),
        ("folder", "no regular file", 73), ("log", "a log beside it", 73),
    ])
    func `a wrong file changes nothing and is named`(kind: String, reason: String, code: Int32) async throws {
        try await fillOutbox(directory)
        let before = try directory.bytes("viewmodeld.sqlite")
        if kind != "missing" { _ = try await backUp(directory, to: file) }
        let sound = kind == "missing" ? [] : try place.bytes("backup")
        func change(_ sql: String) async throws {
            let queue = try DatabaseQueue(path: file)
            try await queue.writeWithoutTransaction { try $0.execute(sql: sql) }
            try queue.close()
        }
        switch kind {
        case "text": try place.write(Array(String(repeating: "no database. ", count: 999).utf8), to: "backup")
        case "empty", "application", "migrated application":
            #expect(unlink(file) == 0)
            try place.write([], to: "backup")
            if kind == "application" { try await change("CREATE TABLE notes (text)") }
            if kind == "migrated application" {
                try await change(
                    "CREATE TABLE grdb_migrations (identifier TEXT); INSERT INTO grdb_migrations VALUES ('v1')"
                )
            }
        case "cut": try place.write(Array(sound.prefix(sound.count / 2)), to: "cut")
        case "flipped":
            var bytes = sound
            for place in 20_000..<24_000 { bytes[place] ^= 0xFF }
            try place.write(bytes, to: "backup")
        case "changed": try await change("DROP TABLE cache")
        case "newer": try await change("INSERT INTO grdb_migrations VALUES ('later')")
        case "folder":
            #expect(unlink(file) == 0 && mkdir(file, 0o700) == 0)
        case "log": try place.write([1], to: "backup-wal")
        default: break
        }
        let path = kind == "cut" ? "\(place.path)/cut" : file
        let error = await #expect(throws: StoreError.self) { try await restore(path, into: directory) }
        #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
        #expect(error?.path == path)
        #expect(error?.exitCode == code)
        #expect(try directory.bytes("viewmodeld.sqlite") == before)
        #expect(try directory.names() == ["vault.key", "viewmodeld.sqlite"])
    }

    @Test(arguments: ["1", "2", "3"])
    func `a backup of an older version is restored, and the next start migrates it`(version: String) async throws {
        let old = try DatabaseQueue(path: file)
        try Migrations.migrator.migrate(old, upTo: version)
        try old.close()
        #expect(try await restore(file, into: directory).neededKey == nil)
        #expect(try await outboxTexts(directory) == [])
    }

    @Test func `the key that saved tokens need is named if it is missing`() async throws {
        let store = try await openStore(directory)
        try await store.vault.store(.sample(), of: anna, provider: "local")
        _ = try await backUp(directory, to: file)
        try await store.close()
        #expect(try await restore(file, into: directory).neededKey == nil)
        let other = try TemporaryDirectory()
        #expect(try await restore(file, into: other).neededKey == "\(other.path)/vault.key")
        // The daemon does not start without it, and starts with it.
        let wrong = try await withStore(other) { store in try await failure { try await store.vault.verify() } }
        #expect(wrong == .wrongKey)
        try other.write(directory.bytes("vault.key"), to: "vault.key")
        let token = try await withStore(other) { try await $0.vault.token(of: anna, provider: "local") }
        #expect(token == .sample())
    }

    /// The places of a key outside of the state directory, and how a restore names them.
    @Test(arguments: ["credential", "configured"])
    func `a key from elsewhere is named only if it is missing or another`(origin: String) async throws {
        try place.write(VaultKey.random().line, to: "other.key")
        try place.write(VaultKey.random().line, to: "viewmodeld.key")
        func configuration(_ directory: TemporaryDirectory, key: String? = "viewmodeld.key") -> StateStoreConfiguration
        {
            var configuration = StateStoreConfiguration(directory: directory.path)
            configuration.credentialsDirectory = nil
            if origin == "configured" { configuration.keyFile = key.map { "\(place.path)/\($0)" } }
            if origin == "credential", key == "viewmodeld.key" { configuration.credentialsDirectory = place.path }
            return configuration
        }
        func neededKey(_ configuration: StateStoreConfiguration) async throws -> String? {
            try await StateStore.restore(BackupFile(file), into: configuration).neededKey
        }
        let store = try await StateStore.open(configuration(directory), logger: Logger(label: "test"))
        try await store.vault.store(.sample(), of: anna, provider: "local")
        _ = try await backUp(directory, to: file)
        try await store.close()

        let other = try TemporaryDirectory()
        #expect(try await neededKey(configuration(other)) == nil)
        // The former database of this directory has no token of this key.
        let third = try TemporaryDirectory()
        let missing = origin == "credential" ? "the systemd credential viewmodeld.key" : "the file of vault.keyFile"
        #expect(try await neededKey(configuration(third, key: nil)) == missing)
        if origin == "credential" {
            // A command has no credentials, but the former database had tokens of the same one.
            #expect(try await neededKey(configuration(directory, key: nil)) == nil)
        } else {
            #expect(try await neededKey(configuration(directory, key: "other.key")) == "\(place.path)/other.key")
        }
    }

    @Test func `a draft that was left behind is removed`() async throws {
        try await openStore(directory).close()
        _ = try await backUp(directory, to: file)
        try directory.write([1, 2, 3], to: "viewmodeld.sqlite.restored")
        try directory.write([1, 2, 3], to: "viewmodeld.sqlite.restored-wal")
        try await restore(file, into: directory)
        #expect(try !directory.names().contains { $0.contains(".restored") })
    }
}

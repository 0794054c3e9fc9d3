import Dispatch
import GRDB
import Glibc
import Synchronization
import TestSupport
import Testing
import UnixIO
import ViewModelHost

@testable import ViewModelStorage
@testable import ViewModelStore

/// Backups of a state directory, beside an open store.
@Suite struct BackupTests {
    let directory: TemporaryDirectory
    let place: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        place = try TemporaryDirectory()
    }

    private var file: String { "\(place.path)/backup" }

    @Test func `a backup of an open store has what was acknowledged, and is one private file`() async throws {
        let store = try await openStore(directory)
        try await store.outbox.add("before", of: anna)
        let bytes = try await backUp(directory, to: file)
        try await store.outbox.add("after", of: anna)
        #expect(try place.names() == ["backup"])
        #expect(try place.mode("backup") == 0o600)
        #expect(try place.bytes("backup").count == bytes)
        // It can be read where nothing can be written: a database with a log needs the file of the log.
        #expect(try place.bytes("backup")[18...19] == [1, 1])
        let other = try TemporaryDirectory()
        try await restore(file, into: other)
        #expect(try await outboxTexts(other) == ["before"])
        try await store.close()
    }

    @Test func `an existing file stays, unless it may be replaced`() async throws {
        try await openStore(directory).close()
        try place.write([1, 2, 3], to: "backup", mode: 0o644)
        let refusal = try #require(await backUpError(directory, to: file))
        #expect(refusal.exitCode == 73 && refusal.description.contains("--force"))
        #expect(try place.bytes("backup") == [1, 2, 3])
        _ = try await backUp(directory, to: file, replaces: true)
        #expect(try place.bytes("backup").count > 3)
        #expect(try place.mode("backup") == 0o600)
        #expect(try place.names() == ["backup"])
    }

    @Test(arguments: [false, true])
    func `the target of a link is written`(exists: Bool) async throws {
        try await openStore(directory).close()
        #expect(symlink("elsewhere", file) == 0)
        if exists { try place.write([1, 2, 3], to: "elsewhere") }
        #expect(try await backUp(directory, to: file, replaces: true) == place.bytes("elsewhere").count)
        #expect(try place.names() == ["backup", "elsewhere"])
        #expect(Paths.target(ofLink: file) == "elsewhere")
    }

    @Test(.enabled(if: geteuid() == 0, "Other owners need root"))
    func `root follows no link of another user`() async throws {
        try await openStore(directory).close()
        #expect(symlink("elsewhere", file) == 0 && lchown(file, 1234, 1234) == 0)
        let error = try #require(await backUpError(directory, to: file, replaces: true))
        #expect(error.description.contains("link of another user"))
        #expect(try place.names() == ["backup"])
    }

    @Test func `a FIFO gets the bytes of the file`() async throws {
        try await openStore(directory).close()
        #expect(mkfifo(file, 0o600) == 0)
        let reader = open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        // The whole file has room in the pipe: F_SETPIPE_SZ of fcntl(2), which Swift does not import.
        let capacity = fcntl(reader, 1031, 1 << 20)
        let bytes = try await backUp(directory, to: file)
        var content = [UInt8](repeating: 0, count: Int(capacity))
        #expect(read(reader, &content, content.count) == bytes)
        #expect(content.starts(with: "SQLite format 3".utf8))
        #expect(try place.names() == ["backup"])
    }

    @Test func `a file in the state directory is refused, by any path`() async throws {
        try await openStore(directory).close()
        #expect(symlink(directory.path, "\(place.path)/link") == 0)
        #expect(mkdir("\(directory.path)/folder", 0o700) == 0)
        let inside = ["copy", "viewmodeld.sqlite", "folder/copy", "folder/../folder/copy"]
        for path in inside.flatMap({ ["\(directory.path)/\($0)", "\(place.path)/link/\($0)"] }) {
            let error = try #require(await backUpError(directory, to: path, replaces: true))
            #expect(error.description.contains("state directory"), "\(error)")
        }
        #expect(try directory.names() == ["folder", "vault.key", "viewmodeld.sqlite"])
        #expect(rmdir("\(directory.path)/folder") == 0)
        try await openStore(directory).close()
    }

    /// Directories in which another user could exchange the draft of root, and one in which nobody else could.
    @Test(
        .enabled(if: geteuid() == 0, "Other owners need root"),
        arguments: [
            (1234, 0o700, false), (1234, 0o1777, false), (0, 0o770, false), (0, 0o777, false), (0, 0o1777, true),
            (0, 0o755, true),
        ] as [(uid_t, mode_t, Bool)]
    )
    func `root writes only where no other user can exchange the file`(
        owner: uid_t,
        mode: mode_t,
        isSafe: Bool
    ) async throws {
        try await openStore(directory).close()
        #expect(mkdir("\(place.path)/inner", 0o700) == 0)
        #expect(chown(place.path, owner, owner) == 0 && chmod(place.path, mode) == 0)
        for path in [file, "\(place.path)/inner/backup"] {
            let error = await backUpError(directory, to: path)
            #expect((error == nil) == isSafe, "\(path): \(String(describing: error))")
            if let error { #expect(error.description.contains("\(place.path) ") && error.exitCode == 73) }
        }
        #expect(try place.names() == (isSafe ? ["backup", "inner"] : ["inner"]))
    }

    @Test func `a link in the path is resolved before the check, and is not followed again`() throws {
        #expect(mkdir("\(place.path)/inner", 0o700) == 0 && symlink("inner", "\(place.path)/link") == 0)
        let path = try BackupDirectory.check("\(place.path)/link/backup", stateDirectory: directory.path)
        #expect(path == (Paths.resolved(place.path) ?? place.path) + "/inner/backup")
    }

    @Test func `a database of another program is no source`() async throws {
        let path = "\(directory.path)/viewmodeld.sqlite"
        try await change(directory, "CREATE TABLE notes (text)")
        let error = try #require(await backUpError(directory, to: file))
        #expect(error.path == path && error.exitCode == 71)
        #expect(error.description.contains("no database of this program"))
        #expect(try place.names() == [])
    }

    @Test(arguments: ["backup.tmp", "viewmodeld-backup-0.draft"])
    func `a file of somebody else beside the backup is not touched`(name: String) async throws {
        try await openStore(directory).close()
        try place.write(Array("mine".utf8), to: name, mode: 0o644)
        _ = try await backUp(directory, to: file)
        #expect(try place.names() == ["backup", name])
        #expect(try place.bytes(name) == Array("mine".utf8))
        #expect(try place.mode(name) == 0o644)
    }

    @Test func `of two backups that end at once one gets the name, and the other one leaves it alone`() throws {
        for round in 0..<100 {
            let path = "\(file)\(round)"
            let drafts = try ["first", "other"].map { text in
                let draft = try DraftFile(path, replaces: false)
                try draft.write(Array(text.utf8), at: 0)
                return draft
            }
            let winners = Mutex<[Int]>([])
            DispatchQueue.concurrentPerform(iterations: drafts.count) { number in
                do {
                    _ = try drafts[number].publish(replaces: false)
                    winners.withLock { $0.append(number) }
                } catch {
                    drafts[number].remove()
                }
            }
            let winner = try #require(winners.withLock { $0.count == 1 ? $0.first : nil }, "round \(round)")
            #expect(try place.bytes("backup\(round)") == Array(["first", "other"][winner].utf8))
        }
        #expect(try place.names().count == 100)
    }

    @Test func `a damaged database is no backup, and leaves the former one`() async throws {
        try await fillOutbox(directory)
        _ = try await backUp(directory, to: file)
        let former = try place.bytes("backup")
        var bytes = try directory.bytes("viewmodeld.sqlite")
        for place in 20_000..<24_000 { bytes[place] ^= 0xFF }
        try directory.write(bytes, to: "viewmodeld.sqlite")
        let error = try #require(await backUpError(directory, to: file, replaces: true))
        #expect(error.kind == .damaged && error.path == "\(directory.path)/viewmodeld.sqlite")
        #expect(try place.names() == ["backup"])
        #expect(try place.bytes("backup") == former)
    }

    @Test func `a missing database or folder is named with the remedy, and a folder is not replaced`() async throws {
        let none = try #require(await backUpError(directory, to: file))
        #expect(none.description.contains("--state-directory") && none.exitCode == 73)
        #expect(try directory.names() == [])
        try await openStore(directory).close()
        let missing = try #require(await backUpError(directory, to: "\(place.path)/none/backup"))
        #expect(missing.description.contains("Choose a directory") && missing.exitCode == 73)
        #expect(mkdir(file, 0o700) == 0)
        let folder = try #require(await backUpError(directory, to: file, replaces: true))
        #expect(folder.description.contains("no regular file"))
        #expect(try place.names() == ["backup"])
    }

    @Test func `a database that another process holds alone is named`() async throws {
        try await openStore(directory).close()
        let other = try await otherProcess(directory, holdFile)
        #expect(await backUpError(directory, to: file)?.kind == .locked)
        #expect(try place.names() == [])
        try other.close()
    }
}

/// Backs up a directory.
func backUp(_ directory: TemporaryDirectory, to path: String, replaces: Bool = false) async throws(StoreError) -> Int {
    var configuration = StateStoreConfiguration(directory: directory.path)
    configuration.busyTimeout = .milliseconds(20)
    return try await StateStore.backUp(configuration, to: path, replaces: replaces)
}

/// The error of a backup, or nil if it succeeds.
func backUpError(_ directory: TemporaryDirectory, to path: String, replaces: Bool = false) async -> StoreError? {
    do {
        _ = try await backUp(directory, to: path, replaces: replaces)
        return nil
    } catch {
        return error
    }
}

/// Restores a file into a directory.
@discardableResult
func restore(_ file: String, into directory: TemporaryDirectory) async throws(StoreError) -> RestoredState {
    try await StateStore.restore(BackupFile(file), into: StateStoreConfiguration(directory: directory.path))
}

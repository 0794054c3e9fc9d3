import Accounts
import Glibc
import TestSupport
import Logging
import Testing
import ViewModelHost
import ViewModelTesting

@testable import ViewModelStorage
@testable import ViewModelStore

/// What needs a file system of its own, and so root.
@Suite(.enabled(if: SmallDisk.isPossible, "Mounting a tmpfs needs root"), .serialized)
struct MountTests {
    @Test func `a full disk fails what does not fit, loses nothing, and the log has one line`() async throws {
        let disk = try SmallDisk(kilobytes: 1024)
        let log = LogRecorder(from: .info)
        let store = try await openStore(disk.directory, logger: log.logger)
        var kept: [String] = []
        var error: StoreError.Kind?
        while error == nil, kept.count < 1000 {
            let text = "\(kept.count) " + String(repeating: "x", count: 10_000)
            error = try await failure { try await store.outbox.add(text, of: anna) }
            if error == nil { kept.append(text) }
        }
        #expect(error == .diskFull)
        let text = [UInt8](repeating: 0x31, count: 20_000)
        let change = LastingChange(key: .init(owner: "page", name: "text"), text: text, known: nil)
        for _ in 0..<3 {
            await #expect(throws: StoreError.self) { try await store.sessions.save([change], of: .user(anna)) }
        }
        #expect(log.entries.map(\.message) == ["The database cannot be written, and the daemon tries again by itself"])
        #expect(!store.health().healthy)
        #expect(try await store.outbox.items(of: anna).map(\.text) == kept)

        try disk.resize(kilobytes: 8192)
        try await store.outbox.add("fits again", of: anna)
        for _ in 0..<3 { _ = try await store.sessions.save([change], of: .user(anna)) }
        #expect(log.entries.dropFirst().map(\.message) == ["The database can be written again"])
        #expect(store.health().healthy)
        try await store.close()
        #expect(try await outboxTexts(disk.directory) == kept + ["fits again"])
    }

    @Test func `a disk without room for a store, or one that is read-only, says so`() async throws {
        let full = try SmallDisk(kilobytes: 16)
        let small = try #require(await openingError(full.directory))
        #expect(small.kind == .diskFull && small.exitCode == 73)
        let disk = try SmallDisk(kilobytes: 1024)
        try await openStore(disk.directory).close()
        try disk.makeReadOnly()
        let readOnly = try #require(await openingError(disk.directory))
        #expect(readOnly.kind == .notWritable && readOnly.exitCode == 73)
    }

    @Test func `a rotation on a full disk leaves the former key in use`() async throws {
        let disk = try SmallDisk(kilobytes: 1024)
        let store = try await openStore(disk.directory)
        try await store.vault.store(.sample(), of: anna, provider: "http")
        let former = store.vaultKeys.current.id
        try disk.fill()
        #expect(try await failure { try await store.vault.rotate() } == .diskFull)
        #expect(store.vaultKeys.current.id == former)
        #expect(try await store.vault.token(of: anna, provider: "http") == .sample())
        try disk.resize(kilobytes: 4096)
        try await store.vault.rotate()
        #expect(try await store.vault.token(of: anna, provider: "http") == .sample())
        try await store.close()
    }

    @Test func `a backup that does not fit leaves no file and keeps the former one`() async throws {
        let directory = try TemporaryDirectory()
        let store = try await openStore(directory)
        for _ in 0..<100 { try await store.outbox.add(String(repeating: "x", count: 10_000), of: anna) }
        let disk = try SmallDisk(kilobytes: 512)
        try disk.directory.write([1], to: "backup")
        let error = try #require(await backUpError(directory, to: "\(disk.directory.path)/backup", replaces: true))
        #expect(error.kind == .diskFull)
        #expect(try disk.directory.names() == ["backup"])
        #expect(try disk.directory.bytes("backup") == [1])
        try await store.close()
    }

    @Test func `a backup to a read-only file system is refused, and a restore from one succeeds`() async throws {
        let directory = try TemporaryDirectory()
        let store = try await openStore(directory)
        try await store.outbox.add("text", of: anna)
        let disk = try SmallDisk(kilobytes: 1024)
        let file = "\(disk.directory.path)/backup"
        _ = try await backUp(directory, to: file)
        try await store.close()
        try disk.makeReadOnly()
        #expect(await backUpError(directory, to: file, replaces: true)?.kind == .notWritable)
        let other = try TemporaryDirectory()
        try await restore(file, into: other)
        #expect(try await outboxTexts(other) == ["text"])
    }

    @Test(arguments: ["full", "read-only"])
    func `a restore into a full or read-only directory changes nothing`(state: String) async throws {
        let directory = try TemporaryDirectory()
        let store = try await openStore(directory)
        for _ in 0..<50 { try await store.outbox.add(String(repeating: "x", count: 10_000), of: anna) }
        let place = try TemporaryDirectory()
        _ = try await backUp(directory, to: "\(place.path)/backup")
        try await store.close()
        let disk = try SmallDisk(kilobytes: 512)
        try await openStore(disk.directory).close()
        let names = try disk.directory.names()
        if state == "read-only" { try disk.makeReadOnly() }
        let error = await #expect(throws: StoreError.self) {
            try await restore("\(place.path)/backup", into: disk.directory)
        }
        #expect(error?.kind == (state == "full" ? .diskFull : .notWritable))
        #expect(try disk.directory.names() == names)
    }
}

/// A file system in memory of a few kilobytes.
final class SmallDisk: Sendable {
    let directory: TemporaryDirectory

    static var isPossible: Bool {
        geteuid() == 0 && (try? SmallDisk(kilobytes: 64)) != nil
    }

    init(kilobytes: Int) throws {
        directory = try TemporaryDirectory()
        try change("mode=0700,size=\(kilobytes)k", flags: 0)
    }

    deinit {
        umount2(directory.path, Int32(MNT_DETACH))
    }

    func resize(kilobytes: Int) throws {
        try change("mode=0700,size=\(kilobytes)k", flags: UInt(MS_REMOUNT))
    }

    func makeReadOnly() throws {
        let flags = UInt(MS_REMOUNT) | UInt(MS_RDONLY)
        let deadline = ContinuousClock.now + .seconds(60)
        // A process that another test starts has this one's open files until its `exec`, and the disk is busy.
        while mount("tmpfs", directory.path, "tmpfs", flags, "") != 0 {
            try #require(errno == EBUSY && ContinuousClock.now < deadline, "errno \(errno)")
            sched_yield()
        }
    }

    /// Writes zeros until there is no room for one more.
    func fill() throws {
        let descriptor = open("\(directory.path)/filler", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let zeros = [UInt8](repeating: 0, count: 512)
        while write(descriptor, zeros, zeros.count) > 0 {}
    }

    private func change(_ options: String, flags: UInt) throws {
        try #require(mount("tmpfs", directory.path, "tmpfs", flags, options) == 0, "errno \(errno)")
    }
}

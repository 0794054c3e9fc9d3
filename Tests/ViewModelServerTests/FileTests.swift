import Foundation
import TestSupport
import Testing
import ViewModelHost

@testable import ViewModelServer

/// The directories, locks and sockets that a server creates on disk.
@Suite struct FileTests {
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    // MARK: Locks

    @Test func `a second lock on a file is refused, and names the process of the first`() throws {
        let lock = try FileLock(path: "\(folder.path)/lock")
        let failure = #expect(throws: FileLock.Failure.self) { _ = try FileLock(path: "\(folder.path)/lock") }
        #expect(failure?.isHeld == true)
        #expect(failure?.description == "\(folder.path)/lock is locked by process \(getpid())")
        lock.release()
        #expect(try folder.names() == ["lock"])
        try FileLock(path: "\(folder.path)/lock").release()
    }

    @Test func `a lock that cannot be opened is not held`() throws {
        let failure = #expect(throws: FileLock.Failure.self) { _ = try FileLock(path: "\(folder.path)/none/lock") }
        #expect(failure?.isHeld == false)
    }

    @Test func `a link in the lock's place is not followed`() throws {
        try folder.write(Array("kept".utf8), to: "victim")
        #expect(symlink("\(folder.path)/victim", "\(folder.path)/lock") == 0)
        #expect(throws: FileLock.Failure.self) { _ = try FileLock(path: "\(folder.path)/lock") }
        #expect(try folder.bytes("victim") == Array("kept".utf8))
    }

    // MARK: Directories

    @Test func `missing directories are created for this user only`() throws {
        try PrivateDirectory.make("\(folder.path)/a/b")
        #expect(try folder.mode("a") == 0o700)
        #expect(try folder.mode("a/b") == 0o700)
        try PrivateDirectory.make("\(folder.path)/a/b")
    }

    @Test func `a file in the directory's place is an error`() throws {
        try folder.write([], to: "file")
        let failure = #expect(throws: PrivateDirectory.Failure.self) {
            try PrivateDirectory.make("\(folder.path)/file/inner")
        }
        #expect(failure?.description == "\(folder.path)/file is not a directory")
    }

    @Test func `a state directory loses the permissions of others, and has one owner at a time`() throws {
        #expect(mkdir("\(folder.path)/state", 0o777) == 0 && chmod("\(folder.path)/state", 0o777) == 0)
        let state = try StateDirectory("\(folder.path)/state")
        #expect(try folder.mode("state") == 0o700)
        let failure = #expect(throws: SocketError.self) { _ = try StateDirectory("\(folder.path)/state") }
        #expect(failure?.description.contains("is locked by process \(getpid())") == true)
        state.release()
        try StateDirectory("\(folder.path)/state").release()
    }

    @Test(arguments: [0o1777, 0o755] as [mode_t])
    func `a directory with other files is refused as it is`(mode: mode_t) throws {
        try folder.write([1], to: "picture")
        #expect(chmod(folder.path, mode) == 0)
        let failure = #expect(throws: SocketError.self) { _ = try StateDirectory(folder.path) }
        let octal = String(mode, radix: 8)
        #expect(failure?.description.contains("has other files and the mode \(octal)") == true)
        #expect(try folder.mode(".") == mode)
        #expect(throws: (any Error).self) { try folder.mode("lock") }
    }

    @Test func `a state directory with a database loses the permissions of others`() throws {
        try folder.write([], to: "viewmodeld.sqlite")
        try folder.write([], to: "notes")
        #expect(chmod(folder.path, 0o755) == 0)
        try StateDirectory(folder.path).release()
        #expect(try folder.mode(".") == 0o700)
    }

    @Test(.enabled(if: geteuid() == 0))
    func `a directory of another user is refused`() throws {
        #expect(mkdir("\(folder.path)/state", 0o700) == 0 && chown("\(folder.path)/state", 4242, 4242) == 0)
        let failure = #expect(throws: SocketError.self) { _ = try StateDirectory("\(folder.path)/state") }
        let remedy = "belongs to another user, uid 4242; choose another one with --state-directory"
        #expect(failure?.description.hasSuffix(remedy) == true)
    }

    @Test func `the storage's health counts the bytes of files`() throws {
        try folder.write([1, 2, 3], to: "a")
        try folder.write([4, 5], to: "b")
        #expect(mkdir("\(folder.path)/folder", 0o700) == 0)
        let health = StorageHealth(of: folder.path)
        #expect(health.bytes == 5)
        #expect(health.healthy)
        #expect(!StorageHealth(of: "\(folder.path)/none").healthy)
    }

    // MARK: Sockets

    @Test func `a socket appears with its mode once clients can connect`() throws {
        let path = "\(folder.path)/new/d.sock"
        let socket = try ListeningSocket(SocketOptions(path: path, mode: 0o620))
        defer { close(socket.descriptor) }
        #expect(try folder.mode("new") == 0o700)
        #expect(access(path, F_OK) != 0)
        try socket.listen()
        #expect(try folder.mode("new/d.sock") == 0o620)
        _ = try RawConnection(path)
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/new")
        #expect(names.sorted() == ["d.sock", "d.sock.lock"])
        socket.remove()
        #expect(try folder.names() == ["new"])
        #expect(access(path, F_OK) != 0)
    }

    @Test func `a socket that another process listens on is left alone`() throws {
        let other = PassedSocket("\(folder.path)/d.sock")
        let failure = #expect(throws: SocketError.self) { _ = try ListeningSocket(SocketOptions(path: other.path)) }
        #expect(failure?.description == "process \(getpid()) listens at \(other.path) already")
        _ = try RawConnection(other.path)
    }

    @Test func `a stale socket is replaced, and any other file is an error`() throws {
        let path = "\(folder.path)/d.sock"
        let first = try ListeningSocket(SocketOptions(path: path))
        try first.listen()
        // As after a kill: the descriptor is closed, and the file is still there.
        close(first.descriptor)
        #expect(throws: SocketError.self, "the lock is held") { _ = try ListeningSocket(SocketOptions(path: path)) }
        try folder.write([], to: "file")
        let failure = #expect(throws: SocketError.self) {
            _ = try ListeningSocket(SocketOptions(path: "\(folder.path)/file"))
        }
        #expect(failure?.description.contains("is not a socket") == true)
        #expect(unlink("\(path).lock") == 0)
        // The second name keeps the inode in use, so that the second socket gets another one.
        #expect(link(path, "\(folder.path)/kept") == 0)
        let second = try ListeningSocket(SocketOptions(path: path))
        defer { close(second.descriptor) }
        try second.listen()
        // The file of the second socket is not the one that the first one created.
        first.remove()
        #expect(access(path, F_OK) == 0)
        second.remove()
        #expect(access(path, F_OK) != 0)
    }

    @Test func `what appears at the path before the socket listens is left alone`() throws {
        let socket = try ListeningSocket(SocketOptions(path: "\(folder.path)/d.sock"))
        defer { close(socket.descriptor) }
        let other = PassedSocket("\(folder.path)/d.sock")
        let failure = #expect(throws: SocketError.self) { try socket.listen() }
        #expect(failure?.description == "process \(getpid()) listens at \(other.path) already")
        socket.remove()
        _ = try RawConnection(other.path)
        #expect(try folder.names() == ["d.sock", "d.sock.lock"])
    }

    @Test func `the longest path that the kernel takes can be used`() throws {
        let path = folder.path + "/" + String(repeating: "x", count: 106 - folder.path.utf8.count)
        let socket = try ListeningSocket(SocketOptions(path: path))
        defer { close(socket.descriptor) }
        try socket.listen()
        _ = try RawConnection(path)
        socket.remove()
    }

    @Test func `a path that the kernel does not take is refused with the remedy`() throws {
        let path = "/tmp/" + String(repeating: "x", count: 103)
        let failure = #expect(throws: SocketError.self) { _ = try ListeningSocket(SocketOptions(path: path)) }
        #expect(failure?.description.contains("108 bytes") == true)
        #expect(failure?.description.contains("--socket") == true)
    }

    @Test func `inherited sockets keep their files, and no longer block`() throws {
        let passed = PassedSocket("\(folder.path)/d.sock")
        let sockets = try ServerSockets(inherited: [dup(passed.descriptor)])
        #expect(sockets.paths == [passed.path])
        #expect(sockets.descriptors.allSatisfy { fcntl($0, F_GETFL) & O_NONBLOCK != 0 })
        sockets.close()
        _ = try RawConnection(passed.path)
    }

    @Test func `a closed descriptor is no inherited socket`() {
        #expect(throws: SocketError.self) { _ = try ServerSockets(inherited: [-1]) }
    }

    @Test func `the kernel names the process at the other end`() throws {
        var ends: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        let peer = try #require(PeerCredentials(of: ends[0]))
        #expect(peer.pid == getpid())
        #expect(peer.uid == geteuid())
        #expect(peer.groups.first == getegid())
        #expect(PeerCredentials(of: -1) == nil)
    }
}

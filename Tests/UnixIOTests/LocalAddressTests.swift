import Glibc
import TestSupport
import Testing
import UnixIO

@Suite struct LocalAddressTests {
    @Test(arguments: [103, 104, 107]) func `a path of up to 107 bytes can be bound and connected to`(
        count: Int
    ) throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/" + String(repeating: "s", count: count - directory.path.utf8.count - 1)
        let listener = try LocalSocket.make()
        defer { close(listener) }
        try LocalSocket.bind(listener, to: path)
        try #require(listen(listener, 1) == 0)
        let connection = try LocalSocket.connect(to: path)
        defer { close(connection) }
        #expect(LocalAddress(of: listener)?.path == path)
        #expect(LocalAddress(of: connection, isPeer: true)?.path == path)
        #expect(fcntl(connection, F_GETFD) & FD_CLOEXEC != 0)
        #expect(LocalAddress.excess(of: path) == nil)
    }

    @Test(arguments: [("", ENOENT), ("/a\0b", ENOENT), (String(repeating: "s", count: 108), ENAMETOOLONG)])
    func `a path that no socket can have is refused`(path: String, code: Int32) {
        #expect(throws: SystemError(code: code)) { try LocalSocket.connect(to: path) }
    }

    @Test func `a path that is too long is described`() {
        let path = String(repeating: "é", count: 54)
        #expect(LocalAddress.excess(of: path) == "the socket's path has 108 bytes, and the kernel takes 107")
    }

    @Test func `a full queue is an error and no wait`() throws {
        let directory = try TemporaryDirectory()
        let listener = try LocalSocket.make()
        try LocalSocket.bind(listener, to: directory.path + "/s")
        try #require(listen(listener, 0) == 0)
        let first = try LocalSocket.connect(to: directory.path + "/s")
        defer { for descriptor in [listener, first] { close(descriptor) } }
        #expect(throws: SystemError(code: EAGAIN)) { try LocalSocket.connect(to: directory.path + "/s") }
    }

    @Test func `the name of an abstract socket begins with an at sign`() throws {
        let descriptor = try LocalSocket.make()
        defer { close(descriptor) }
        let name = "viewmodeld-test-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        let isBound = try LocalAddress(abstract: name).withPointer { bind(descriptor, $0, $1) == 0 }
        #expect(isBound)
        #expect(LocalAddress(of: descriptor)?.path == "@" + name)
    }
}

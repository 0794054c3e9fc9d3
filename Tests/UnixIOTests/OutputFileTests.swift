import Glibc
import TestSupport
import Testing
import UnixIO

@Suite struct OutputFileTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func path(_ name: String) -> String { "\(directory.path)/\(name)" }

    private func status(_ name: String) throws -> stat {
        var status = stat()
        try #require(lstat(path(name), &status) == 0)
        return status
    }

    private func write(_ text: String, to path: String) throws { try OutputFile(path).write(Array(text.utf8)) }

    @Test func `a new file has the mode of the umask`() throws {
        close(open(path("other"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o666))
        try write("new", to: path("file"))
        #expect(try directory.bytes("file") == Array("new".utf8))
        #expect(try status("file").st_mode == status("other").st_mode)
        #expect(try directory.names() == ["file", "other"])
    }

    @Test func `a regular file is replaced and keeps its mode and its owner`() throws {
        try directory.write(Array("a longer text".utf8), to: "file", mode: 0o604)
        let owner: uid_t = geteuid() == 0 ? 1234 : geteuid()
        try #require(chown(path("file"), owner, gid_t.max) == 0)
        let former = try status("file")
        try write("new", to: path("file"))
        let new = try status("file")
        #expect(try directory.bytes("file") == Array("new".utf8))
        #expect(new.st_ino != former.st_ino)
        #expect(new.st_mode == former.st_mode)
        #expect(new.st_uid == owner)
    }

    @Test(arguments: ["target", "missing"]) func `the target of a link is written, and the link stays`(
        target: String
    ) throws {
        try #require(mkdir(path("other"), 0o700) == 0)
        try directory.write(Array("old".utf8), to: "other/target")
        try #require(symlink("other/\(target)", path("first")) == 0)
        try #require(symlink(path("first"), path("second")) == 0)
        try write("new", to: path("second"))
        #expect(try directory.bytes("other/\(target)") == Array("new".utf8))
        #expect(try status("first").st_mode & S_IFMT == S_IFLNK)
        #expect(try status("second").st_mode & S_IFMT == S_IFLNK)
    }

    @Test func `links in a circle are an error`() throws {
        try #require(symlink("b", path("a")) == 0 && symlink("a", path("b")) == 0)
        #expect { try OutputFile(path("a")) } throws: {
            "\($0)" == "\(path("a")) cannot be written: Too many levels of symbolic links"
        }
    }

    @Test func `a directory is refused`() throws {
        #expect { try OutputFile(directory.path) } throws: {
            "\($0)" == "\(directory.path) cannot be written: It is a directory. Name a file"
        }
    }

    @Test func `a missing directory is named with its path`() throws {
        #expect { try write("new", to: path("missing/file")) } throws: {
            "\($0)" == "\(path("missing/file")) cannot be written: No such file or directory"
        }
    }

    @Test func `a FIFO is written to and stays`() throws {
        try #require(mkfifo(path("fifo"), 0o600) == 0)
        let reader = open(path("fifo"), O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        try write("new", to: path("fifo"))
        var bytes = [UInt8](repeating: 0, count: 16)
        #expect(read(reader, &bytes, bytes.count) == 3)
        #expect(try status("fifo").st_mode & S_IFMT == S_IFIFO)
        #expect(try OutputFile(path("fifo")).isStream)
    }

    /// The numbers of null and full, the memory devices of Linux.
    @Test(.enabled(if: geteuid() == 0), arguments: [3, 7]) func `a device is written to and stays`(
        minor: UInt32
    ) throws {
        guard mknod(path("device"), S_IFCHR | 0o600, dev_t(1 << 8 | minor)) == 0 else { return }
        let probe = open(path("device"), O_WRONLY | O_CLOEXEC)
        // A file system may allow no devices.
        guard probe >= 0 else { return }
        close(probe)
        if minor == 7 {
            #expect { try write("new", to: path("device")) } throws: {
                "\($0)" == "\(path("device")) cannot be written: No space left on device"
            }
        } else {
            try write("new", to: path("device"))
        }
        #expect(try status("device").st_mode & S_IFMT == S_IFCHR)
    }

    @Test func `a descriptor of the process is written to where it stands`() throws {
        let descriptor = open(path("file"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        try Descriptor(number: descriptor).write(Array("head ".utf8))
        try write("tail", to: "/proc/self/fd/\(descriptor)")
        try #require(symlink("/dev/fd/\(descriptor)", path("link")) == 0)
        try write("!", to: path("link"))
        #expect(try directory.bytes("file") == Array("head tail!".utf8))
        #expect(try OutputFile(path("link")).isStream)
    }

    @Test func `a socket behind a descriptor is written to`() throws {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        try write("new", to: "/dev/fd/\(ends[0])")
        var bytes = [UInt8](repeating: 0, count: 16)
        #expect(read(ends[1], &bytes, bytes.count) == 3)
    }
}

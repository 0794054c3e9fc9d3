import Glibc
import TestSupport
import Testing
import UnixIO

@Suite struct SystemTextTests {
    @Test func `each byte keeps its value`() {
        for byte in UInt8.min...UInt8.max {
            let text = String(systemBytes: [byte])
            #expect(text.systemBytes == [byte])
            #expect(text.isNotUTF8 == (byte > 0x7F))
            #expect(text.shown == (byte > 0x7F ? "\u{FFFD}" : String(Unicode.Scalar(byte))))
        }
    }

    @Test func `any bytes without a zero keep their values`() {
        // Bytes of short and long sequences, and any other ones.
        let special: [UInt8] = [0x2F, 0x7F, 0x80, 0xBD, 0xBF, 0xC2, 0xC3, 0xE0, 0xE9, 0xED, 0xEF, 0xF0, 0xF4, 0xFF]
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<5000 {
            let bytes = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                Bool.random(using: &generator)
                    ? special[Int.random(in: special.indices, using: &generator)]
                    : UInt8.random(in: 1...0xFF, using: &generator)
            }
            let text = String(systemBytes: bytes)
            #expect(text.systemBytes == bytes)
            #expect(text.cPath.map(UInt8.init(bitPattern:)) == bytes + [0])
            #expect(text.isNotUTF8 == (String(validating: bytes, as: UTF8.self) == nil))
            #expect(text.shown == String(decoding: bytes, as: UTF8.self))
        }
    }

    @Test(arguments: ["", "/tmp/café", "\u{FFFD}", "\u{FFFD}é", "\u{10FFE9}", "e\u{301}", "👩‍👩‍👧", "é"])
    func `UTF-8 is the text itself`(text: String) {
        let read = String(systemBytes: Array(text.utf8))
        #expect(Array(read.unicodeScalars) == Array(text.unicodeScalars))
        #expect(read.systemBytes == Array(text.utf8))
        #expect(!read.isNotUTF8 && read.shown == text)
    }

    @Test func `a zero without the byte that it notes stays`() {
        for text in ["\0", "\u{FFFD}\0", "\u{FFFD}\0a", "\0é", "a\u{FFFD}\0\0é"] {
            #expect(text.systemBytes == Array(text.utf8))
            #expect(text.shown == text && !text.isNotUTF8)
        }
    }

    @Test func `the parts of a path are those of its bytes`() {
        let path = String(systemBytes: [0x2F, 0x61, 0x2F, 0xE9, 0x2F, 0xE2, 0x82, 0x2F, 0x62])
        let parts: [[UInt8]] = path.split(separator: "/").map { String($0).systemBytes }
        #expect(parts == [[0x61], [0xE9], [0xE2, 0x82], [0x62]])
        #expect("\(path).lock".systemBytes == path.systemBytes + Array(".lock".utf8))
    }

    @Test(arguments: [[0x63, 0xE9], [0xE2, 0x82], [0xFF, 0xFE, 0x61, 0xC3]] as [[UInt8]])
    func `the calls of the system get the bytes`(name: [UInt8]) throws {
        let directory = try TemporaryDirectory()
        let folder = directory.path + "/" + String(systemBytes: name)
        let file = folder + "/" + String(systemBytes: name)
        #expect(mkdir(folder.cPath, 0o700) == 0)
        try OutputFile(file).write([1, 2])
        #expect(Paths.entries(of: folder).map(Set.init) == [".", "..", String(systemBytes: name)])
        #expect(symlink(file.cPath, "\(file)2".cPath) == 0)
        #expect(Paths.target(ofLink: file + "2")?.systemBytes == file.systemBytes)
        let parent = try #require(Paths.resolved(directory.path)).systemBytes
        #expect(Paths.resolved(file + "2")?.systemBytes == parent + [0x2F] + name + [0x2F] + name)
        let listener = try LocalSocket.make()
        defer { close(listener) }
        try LocalSocket.bind(listener, to: file + "3")
        #expect(listen(listener, 1) == 0)
        close(try LocalSocket.connect(to: file + "3"))
        #expect(LocalAddress(of: listener)?.path?.systemBytes == file.systemBytes + [0x33])
        #expect(unlink(file.cPath) == 0 && Paths.entries(of: folder)?.count == 4)
    }

    @Test func `a path of 107 bytes that are not UTF-8 is no longer than that`() {
        let path = String(systemBytes: [UInt8](repeating: 0xE9, count: 107))
        #expect(LocalAddress.excess(of: path) == nil && (try? LocalAddress(path: path)) != nil)
        #expect(LocalAddress.excess(of: path + "a") == "the socket's path has 108 bytes, and the kernel takes 107")
    }
}

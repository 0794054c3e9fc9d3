import Foundation
import Logging
import Testing

@testable import ViewModelConfiguration

/// What journald is told, over a real socket in its place.
@Suite struct JournalTests {
    @Test func `a record is a datagram of fields`() throws {
        let journal = try DatagramSocket()
        JournalOutput(path: journal.path).write(
            LogRecord(level: .error, message: "Failed", metadata: ["uid": "5", "exit-code": "3", "priority": "0"])
        )
        let expected = """
            MESSAGE=Failed exit-code=3 priority=0 uid=5
            PRIORITY=3
            SYSLOG_IDENTIFIER=viewmodeld
            EXIT_CODE=3
            F_PRIORITY=0
            UID=5

            """
        #expect(String(decoding: try journal.receive(), as: UTF8.self) == expected)
    }

    @Test func `a value of several lines is sent with its length`() {
        let value = "x\nPRIORITY=0"
        let entry = JournalEntry(LogRecord(level: .info, message: "Failed", metadata: ["client": "\(value)"]))
        let binary = Array("CLIENT\n".utf8) + [12, 0, 0, 0, 0, 0, 0, 0] + Array("\(value)\n".utf8)
        #expect(entry.bytes.suffix(binary.count) == binary[...])
        #expect(String(decoding: entry.bytes, as: UTF8.self).hasPrefix("MESSAGE=Failed client=\"x\\nPRIORITY=0\"\n"))
    }

    @Test func `where nobody takes the datagram the line goes to the standard error`() {
        let lines = WrittenLines()
        let output = JournalOutput(
            path: "/nonexistent/socket",
            fallback: LineOutput({ $0.priorityLine }, to: lines.add)
        )
        output.write(LogRecord(level: .info, message: "Listening", metadata: [:]))
        #expect(lines.all == ["<6>Listening"])
    }

    @Test func `journald is found again after it was away`() throws {
        let path = try DatagramSocket().path
        let lines = WrittenLines()
        let output = JournalOutput(path: path, fallback: LineOutput({ $0.priorityLine }, to: lines.add))
        output.write(LogRecord(level: .info, message: "First", metadata: [:]))
        let journal = try DatagramSocket(path)
        output.write(LogRecord(level: .info, message: "Second", metadata: [:]))
        #expect(lines.all == ["<6>First"])
        #expect(String(decoding: try journal.receive(), as: UTF8.self).hasPrefix("MESSAGE=Second\n"))
    }

    @Test func `JOURNAL_STREAM counts where it names the standard error only`() throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        defer { ends.forEach { close($0) } }
        var status = stat()
        #expect(fstat(ends[1], &status) == 0)
        let variable = "\(status.st_dev):\(status.st_ino)"
        #expect(JournalStream(variable: variable, descriptor: ends[1]) == .other)
        #expect(JournalStream(variable: variable, descriptor: STDIN_FILENO) == nil)
        #expect(JournalStream(variable: nil, descriptor: ends[1]) == nil)
    }
}

/// A datagram socket where journald's would be; every wait ends after two minutes.
private final class DatagramSocket {
    let path: String
    private let descriptor: Int32

    init(_ given: String? = nil) throws {
        path = given ?? FileManager.default.temporaryDirectory.path + "/journal-\(UUID().uuidString.prefix(8))"
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(result == 0)
        var limit = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        close(descriptor)
        unlink(path)
    }

    func receive() throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        try #require(count > 0)
        return Array(bytes[..<count])
    }
}

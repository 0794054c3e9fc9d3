import Foundation
import Logging
import TestSupport
import Testing

@testable import ViewModelConfiguration

/// What journald is told, over a real socket in its place.
@Suite struct JournalTests {
    /// The standard error.
    private let lines = WrittenLines()

    private func output(_ path: String) -> JournalOutput {
        JournalOutput(path: path, identifier: "viewmodeld") { [lines] record, _ in
            lines.add(record.priorityLine)
            return true
        }
    }

    @Test func `a record is a datagram of fields`() throws {
        let journal = DatagramSocket()
        JournalOutput(path: journal.address, identifier: "viewmodeld").write(
            LogRecord(level: .error, message: "Failed", metadata: ["uid": "5", "exit-code": "3", "priority": "0"]),
            mayBlock: true
        )
        let expected = """
            MESSAGE=Failed exit-code=3 priority=0 uid=5
            PRIORITY=3
            SYSLOG_IDENTIFIER=viewmodeld
            EXIT_CODE=3
            F_PRIORITY=0
            UID=5

            """
        #expect(journal.receive() == expected)
    }

    @Test func `a value of several lines is sent with its length`() {
        let value = "\u{E9}\nPRIORITY=0"
        let record = LogRecord(level: .info, message: "Failed", metadata: ["client": "\(value)"])
        let entry = record.journalEntry(identifier: "viewmodeld")
        let binary = Array("CLIENT\n".utf8) + [13, 0, 0, 0, 0, 0, 0, 0] + Array("\(value)\n".utf8)
        #expect(entry.suffix(binary.count) == binary[...])
        let message = "MESSAGE=Failed client=\"\u{E9}\\nPRIORITY=0\"\n"
        #expect(String(decoding: entry, as: UTF8.self).hasPrefix(message))
    }

    @Test func `if no socket accepts the datagram, the line goes to the standard error`() {
        let record = LogRecord(level: .info, message: "Listening", metadata: [:])
        output("/nonexistent/socket").write(record, mayBlock: true)
        #expect(lines.all == ["<6>Listening"])
    }

    @Test func `the record that ends the process goes to the standard error, whose unit journald knows`() {
        let journal = DatagramSocket()
        let output = output(journal.address)
        let record = LogRecord(level: .critical, message: "Failed", metadata: [:])
        #expect(!output.write(record, mayBlock: false))
        output.write(record, mayBlock: true)
        #expect(lines.all == ["<2>Failed"])
    }

    @Test func `journald is found again after it was away`() throws {
        let path = DatagramSocket().address
        let output = output(path)
        output.write(LogRecord(level: .info, message: "First", metadata: [:]), mayBlock: true)
        let journal = DatagramSocket(at: path)
        output.write(LogRecord(level: .info, message: "Second", metadata: [:]), mayBlock: true)
        #expect(lines.all == ["<6>First"])
        #expect(try #require(journal.receive()).hasPrefix("MESSAGE=Second\n"))
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

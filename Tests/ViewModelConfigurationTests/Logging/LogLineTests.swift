import Foundation
import Logging
import Testing

@testable import ViewModelConfiguration

/// A record as one line, in each of the forms.
@Suite struct LogLineTests {
    @Test func `as JSON it is an object on a line`() throws {
        let record = LogRecord(
            level: .warning,
            message: "Two\nlines and \"quotes\"",
            metadata: ["session": "main", "uid": "\(5)", "list": ["a", ["k": "v"]]]
        )
        let line = String(decoding: record.jsonLine, as: UTF8.self)
        #expect(line.hasSuffix("}\n") && line.dropLast().contains("\n") == false)
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        #expect(object?["level"] as? String == "warning")
        #expect(object?["message"] as? String == "Two\nlines and \"quotes\"")
        #expect(object?.count == 4)
        let time = try #require(object?["time"] as? String)
        #expect(time.contains(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/))
        let metadata = object?["metadata"] as? NSDictionary
        #expect(metadata == ["session": "main", "uid": "5", "list": ["a", ["k": "v"]]] as NSDictionary)
    }

    @Test(
        arguments: [
            (Logger.Level.trace, 7), (.debug, 7), (.info, 6), (.notice, 5), (.warning, 4), (.error, 3), (.critical, 2),
        ]
    )
    func `a service manager's line begins with the priority`(level: Logger.Level, priority: Int) {
        let record = LogRecord(level: level, message: "Listening", metadata: ["uid": "7", "pid": "8"])
        #expect(String(decoding: record.priorityLine, as: UTF8.self) == "<\(priority)>Listening pid=8 uid=7\n")
    }

    @Test func `a person's line has time and level`() {
        let record = LogRecord(
            time: Date(timeIntervalSince1970: 0),
            level: .notice,
            message: "Refused a connection",
            metadata: ["reason": "Access denied"]
        )
        let line = String(decoding: record.textLine, as: UTF8.self)
        #expect(line == "1970-01-01T00:00:00.000Z notice Refused a connection reason=\"Access denied\"\n")
    }

    @Test(
        arguments: [
            ("plain", "plain"), ("größe", "größe"), ("", "\"\""), ("a b", "\"a b\""), ("uid=0", "\"uid=0\""),
            ("x\n<0>Stopping", "\"x\\n<0>Stopping\""), ("x\r", "\"x\\u{d}\""), ("\u{1b}[2J", "\"\\u{1b}[2J\""),
            ("x\u{2028}y\u{85}", "\"x\\u{2028}y\\u{85}\""), ("\u{202e}x", "\"\\u{202e}x\""),
            ("\" uid=\"0", "\"\\\" uid=\\\"0\""), ("\\", "\"\\\\\""),
        ]
    )
    func `a client's name forges neither a line nor a field`(name: String, written: String) {
        let record = LogRecord(level: .info, message: "Failed", metadata: ["client": "\(name)", "uid": "5"])
        #expect(record.summary == "Failed client=\(written) uid=5")
    }

    @Test func `a message stays on its line`() {
        let record = LogRecord(level: .critical, message: "cannot:\nno place", metadata: [:])
        #expect(record.summary == "cannot:\\nno place")
    }

    @Test func `what is very long is cut off`() {
        let long = String(repeating: "é", count: 1 << 20)
        let record = LogRecord(level: .info, message: long, metadata: ["client": "\(long)", "all": ["\(long)"]])
        #expect(record.jsonLine.count < 4 * LogRecord.longestText)
        let longest = String(repeating: "x", count: 2048)
        for (text, written) in [(longest, longest), (longest + "y", longest + "…")] {
            #expect(LogRecord(level: .info, message: text, metadata: [:]).message == written)
        }
    }
}

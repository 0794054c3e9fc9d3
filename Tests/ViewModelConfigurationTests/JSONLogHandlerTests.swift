import Foundation
import Logging
import Synchronization
import Testing

@testable import ViewModelConfiguration

@Suite struct JSONLogHandlerTests {
    /// The lines that a logger writes.
    private func lines(_ body: (inout Logger) -> Void) -> [String] {
        let bytes = Box()
        var logger = Logger(label: "test") { _ in JSONLogHandler { line in bytes.value.withLock { $0 += line } } }
        body(&logger)
        return String(decoding: bytes.value.withLock { $0 }, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private final class Box: Sendable {
        let value = Mutex<[UInt8]>([])
    }

    @Test func `an event is an object on a line`() throws {
        let lines = lines { logger in
            logger[metadataKey: "session"] = "main"
            logger.warning("Two\nlines and \"quotes\"", metadata: ["uid": "\(5)", "list": ["a", ["k": "v"]]])
        }
        #expect(lines.count == 1)
        let object = try JSONSerialization.jsonObject(with: Data(lines.joined().utf8)) as? [String: Any]
        #expect(object?["level"] as? String == "warning")
        #expect(object?["message"] as? String == "Two\nlines and \"quotes\"")
        #expect(object?.count == 4)
        let time = try #require(object?["time"] as? String)
        #expect(time.contains(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/))
        let metadata = object?["metadata"] as? NSDictionary
        #expect(metadata == ["session": "main", "uid": "5", "list": ["a", ["k": "v"]]] as NSDictionary)
    }

    @Test func `what is below the level is not written`() {
        let lines = lines { logger in
            logger.logLevel = .error
            logger.warning("Less")
            logger.error("More")
        }
        #expect(lines.count == 1)
    }
}

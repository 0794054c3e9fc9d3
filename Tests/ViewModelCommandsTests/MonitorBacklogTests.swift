import Foundation
import Testing

@testable import ViewModelCommands
@testable import ViewModelDeveloperCommands

@Suite struct `The lines of a monitor that wait for the output` {
    @Test func `are the newest within the limit, after the number of the dropped ones`() {
        // Each line counts 128 bytes beside its text.
        var backlog = MonitorBacklog(maximumBytes: 3 * 129)
        func append(_ text: String, bytes: Int = 1) {
            backlog.append(MonitorLine(connection: nil, content: text), bytes: bytes)
        }
        func takeAll() -> [String] {
            var texts: [String] = []
            // The time has 12 characters.
            while let line = backlog.popFirst() { texts.append(String(line.text(columns: nil).dropFirst(15))) }
            return texts
        }
        let dropped = "lines dropped because the output is slow: 1"
        for (lines, shown) in [("abc", ["a", "b", "c"]), ("abcd", [dropped, "b", "c", "d"])] {
            for line in lines { append("\(line)") }
            #expect(takeAll() == shown)
        }
        append("large", bytes: 1000)
        #expect(takeAll() == ["large"])
        append("large", bytes: 1000)
        append("e")
        #expect(takeAll() == [dropped, "e"])
    }
}

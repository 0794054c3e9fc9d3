import Testing
import ViewModelClient

@testable import ViewModelCommands

@Suite struct ScreenTextTests {
    private func lines(rows: Int, events: Int = 0, size: TerminalSize) -> [String] {
        let list = (0..<rows).map { JSONValue.object(["id": .integer($0), "text": .string("row \($0)")]) }
        let picture = Picture(id: "lab", epoch: "e", seq: 7, values: ["value": .integer(1), "rows": .array(list)])
        let events = (0..<events).map { OutputEvent(output: "bell", value: .integer($0)) }
        return ScreenText(picture, events: events, size: size).text.split(
            separator: "\n",
            omittingEmptySubsequences: false
        ).dropLast().map(String.init)
    }

    @Test func `a picture that fits is whole, with its step and its events below`() {
        let lines = lines(rows: 2, events: 1, size: TerminalSize(columns: 40, rows: 24))
        #expect(lines.count == 15)
        #expect(lines.suffix(2) == ["lab, step 7", "bell  0"])
    }

    @Test func `a picture that is too tall ends with the number of the missing rows`() throws {
        let lines = lines(rows: 100, size: TerminalSize(columns: 40, rows: 24))
        #expect(lines.count == 24)
        let last = try #require(lines.last { $0.hasPrefix("|") })
        #expect(last.contains("row 11"))
        #expect(lines.contains("… 88 more rows"))
    }

    @Test(arguments: [(1, 1), (2, 3), (10, 4), (24, 80), (50, 7)])
    func `no line and no column is beyond the terminal`(rows: Int, columns: Int) {
        for count in [0, 1, 5, 100] {
            let size = TerminalSize(columns: columns, rows: rows)
            let lines = lines(rows: count, events: count, size: size)
            #expect(lines.count <= rows)
            #expect(lines.allSatisfy { DisplayWidth.of($0) <= columns })
        }
    }

    @Test func `drawing neither scrolls nor leaves old text`() {
        let picture = Picture(id: "lab", epoch: "e", seq: 7, values: ["value": .integer(1)])
        let text = ScreenText(picture, events: [], size: TerminalSize(columns: 40, rows: 24)).overwriting
        #expect(text.hasPrefix("\u{1B}[H\u{1B}[2K") && text.hasSuffix("\u{1B}[J"))
        #expect(!text.hasSuffix("\n\u{1B}[J"))
    }
}

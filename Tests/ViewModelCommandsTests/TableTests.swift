import Testing

@testable import ViewModelCommands

@Suite struct TableTests {
    private let rows = [["1", "😀😀"], ["22", "表示する"], ["3", "e\u{301}"]]

    @Test func `columns are aligned by the columns of a terminal`() {
        let text = Table.text(rows, headers: ["id", "text"], width: nil)
        #expect(
            text == """
                +----+----------+
                | id | text     |
                +----+----------+
                | 1  | 😀😀     |
                | 22 | 表示する |
                | 3  | e\u{301}        |
                +----+----------+

                """
        )
    }

    @Test func `the widest columns shrink to the terminal`() {
        let text = Table.text([["1", "a long text here", "other text"]], headers: ["id", "text", "more"], width: 30)
        #expect(
            text == """
                +----+-----------+-----------+
                | id | text      | more      |
                +----+-----------+-----------+
                | 1  | a long t… | other te… |
                +----+-----------+-----------+

                """
        )
    }

    @Test func `a cell is wrapped where its table is`() {
        let rows = [["undo", "takes back one step"]]
        let text = Table.text(rows, headers: ["name", "does"], width: 20, wraps: true)
        #expect(
            text == """
                +------+-----------+
                | name | does      |
                +------+-----------+
                | undo | takes     |
                |      | back one  |
                |      | step      |
                +------+-----------+

                """
        )
    }

    @Test(arguments: 1...80)
    func `each line of a table fits into the terminal`(width: Int) {
        let wide = rows.map { $0 + $0 + $0 + ["a text that is longer than the terminal, and 表示する too"] }
        let headers = ["id", "text", "id2", "text2", "id3", "text3", "long"]
        for wraps in [false, true] {
            let lines = Table.text(wide, headers: headers, width: width, wraps: wraps).split(separator: "\n")
            // A border, two blanks and a character are the least.
            #expect(lines.allSatisfy { DisplayWidth.of($0) <= max(width, 6) })
            #expect(Set(lines.map { DisplayWidth.of($0) }).count <= (width < 8 ? 2 : 1))
        }
    }

    @Test(arguments: [
        ([3, 4], 10, [3, 4]), ([3, 20], 10, [3, 7]), ([20, 20], 10, [5, 5]), ([2, 30, 9], 20, [2, 9, 9]), ([5], 0, [1]),
    ])
    func `only the widest columns shrink`(natural: [Int], available: Int, widths: [Int]) {
        #expect(Table.fit(natural, into: available) == widths)
    }
}

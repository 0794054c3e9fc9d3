import Testing

@testable import ViewModelCommands

@Suite struct DisplayWidthTests {
    @Test(arguments: [
        ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("表示", 4), ("ｱ", 1), ("Ａ", 2), ("각", 2),
        ("\u{1100}\u{1161}", 2),
        ("😀", 2), ("❤", 1), ("❤\u{FE0F}", 2), ("1\u{FE0F}\u{20E3}", 2), ("👩\u{200D}👩\u{200D}👧", 2), ("👍🏽", 2),
        ("🇨🇳", 2), ("🇨🇳🇩🇪", 4), ("🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}", 2), ("नि", 2), ("กำ", 2),
        ("🇨🇳🇩🇪 Peking", 11), ("…", 1), ("─", 1),
    ])
    func `a text has the columns of its clusters`(text: String, columns: Int) {
        #expect(DisplayWidth.of(text) == columns)
    }

    @Test(arguments: [
        ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("😀😀😀", 6, "😀😀😀"), ("😀😀😀", 5, "😀😀…"), ("😀😀😀", 4, "😀…"),
        ("👩\u{200D}👩\u{200D}👧x", 2, "…"), ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"), ("🇨🇳🇩🇪", 3, "🇨🇳…"), ("ab", 0, ""),
    ])
    func `a text is cut between clusters`(text: String, columns: Int, cut: String) {
        #expect(DisplayWidth.cut(text, to: columns) == cut)
        #expect(DisplayWidth.of(cut) <= columns)
    }

    @Test func `each cut of each width fits and leaves whole clusters`() {
        let text = "a表😀e\u{301}👩\u{200D}👩\u{200D}👧🇨🇳नि b👍🏽"
        for columns in 1...DisplayWidth.of(text) {
            let cut = DisplayWidth.cut(text, to: columns)
            #expect(DisplayWidth.of(cut) <= columns)
            #expect(Array(text).starts(with: cut.last == "…" ? Array(cut.dropLast()) : Array(cut)))
        }
    }

    @Test(arguments: [
        ("one two three", 7, ["one two", "three"]), ("one", 3, ["one"]), ("", 3, [""]),
        ("abcdefgh", 3, ["abc", "def", "gh"]),
        ("表示 する", 4, ["表示", "する"]), ("😀😀", 1, ["😀", "😀"]), ("a  b", 1, ["a", "b"]),
    ])
    func `a text is wrapped at blanks`(text: String, columns: Int, lines: [String]) {
        #expect(TextWrap.lines(text, columns: columns) == lines)
    }
}

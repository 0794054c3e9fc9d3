import Testing
import ViewModelProtocol

@Suite struct SuggestionsTests {
    @Test(arguments: [
        ("prss", ["press", "clear", "undo"], ["press"]),
        ("CALCULATOR", ["calculator", "keypad"], ["calculator"]),
        ("calc", ["calculator", "keypad"], ["calculator"]),
        ("udno", ["undo", "clear"], ["undo"]),
        ("enter", ["exxxr", "entxx"], ["entxx"]),
        ("led", ["operations", "undo.enabled"], []),
        ("", ["press"], []),
        ("press", ["press"], []),
        ("rows", ["row", "rows2", "crows", "rowsx"], ["crows", "row", "rows2"]),
    ])
    func `close names are found, the best first`(name: String, candidates: [String], expected: [String]) {
        #expect(Suggestions.close(to: name, among: candidates) == expected)
    }

    @Test func `equal but for the case goes before what is a letter away`() {
        #expect(Suggestions.close(to: "undo", among: ["undos", "Undo"]) == ["Undo", "undos"])
    }

    @Test func `names of up to 63 bytes among the first 200 candidates are compared`() {
        let longest = String(repeating: "a", count: 63)
        #expect(Suggestions.close(to: longest, among: [String(longest.dropLast()) + "b"]).count == 1)
        #expect(Suggestions.close(to: longest, among: [longest + "a"]).isEmpty)
        #expect(Suggestions.close(to: longest + "a", among: [longest]).isEmpty)
        let others = (0..<199).map { "another-\($0)" }
        #expect(Suggestions.close(to: "press", among: others + ["pres"]) == ["pres"])
        #expect(Suggestions.close(to: "press", among: others + ["another", "pres"]).isEmpty)
    }

    @Test func `a name of enormous length is no typing error`() {
        let name = String(repeating: "a", count: 1_000_000)
        #expect(Suggestions.close(to: name, among: [name + "b"]).isEmpty)
    }
}

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

    @Test func `a name of enormous length is no typing error`() {
        let name = String(repeating: "a", count: 1_000_000)
        #expect(Suggestions.close(to: name, among: [name + "b"]).isEmpty)
    }
}

import Testing

@testable import ClientGenerators
@testable import ViewModelContract

/// The texts of a contract in generated code.
@Suite struct GeneratedTextTests {
    @Test(arguments: [
        ("\n a \r\nb\u{2028}c\u{202E}d\u{0} \n\n", [" a", "b", "cd"]),
        ("a\u{200B}\u{61C}\u{2066}\u{FEFF}b\u{E0041}c\u{AD}", ["abc"]), ("a\tb\t", ["a\tb"]), (" \n\u{200B}\n", []),
        ("👩‍👩‍👧 ❤️ नमस्ते می‌خواهم", ["👩‍👩‍👧 ❤️ नमस्ते می‌خواهم"]), ("\u{200D}\u{FE0F} a", [" a"]),
    ])
    func `a description has visible characters only, and joiners where they have a meaning`(
        text: String,
        lines: [String]
    ) {
        #expect(GeneratedText.lines(text).map { Array($0.unicodeScalars) } == lines.map { Array($0.unicodeScalars) })
    }

    @Test func `a literal escapes what its language asks for`() {
        let literal = GeneratedText.literal("a\"\\\n\r\té\u{61C}") { $0 == "é" ? "<e>" : nil }
        #expect(literal == "\"a\\\"\\\\\\n\\r\\t<e>\u{61C}\"")
        #expect(GeneratedText.hex(0x61C, 4) == "061c")
        #expect(GeneratedText.hex(0xE0041, 4) == "e0041")
    }

    @Test func `words are letters and digits of any script`() {
        #expect(GeneratedText.words("send-list.2nd_größe") == ["send", "list", "2nd", "größe"])
        #expect(GeneratedText.words("名前 имя\u{301}\u{202E}\u{301}x") == ["名前", "имя\u{301}", "x"])
        #expect(GeneratedText.capitalized(["send", "list", "2nd"]) == "SendList2nd")
    }

    @Test func `a name that is taken gets the next number that is free`() {
        var scope = GeneratedScope<PythonNames>(reserved: ["a_2"])
        #expect(["a", "a", "a_4", "a"].map { scope.add($0) } == ["a", "a_3", "a_4", "a_5"])
    }
}

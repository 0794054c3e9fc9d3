import Testing

@testable import ViewModelCommands

@Suite struct ShellLineTests {
    @Test(arguments: [
        ("", []), ("   \t", []), ("# all of it", []), ("  # all of it", []),
        ("call keypad.press 7", ["call", "keypad.press", "7"]),
        ("call  a.b\tx=1 # rest", ["call", "a.b", "x=1"]),
        ("call a.b x#y", ["call", "a.b", "x#y"]),
        (#"call a.b text="two words""#, ["call", "a.b", "text=two words"]),
        (#"call a.b 'it"s' "a'b""#, ["call", "a.b", #"it"s"#, "a'b"]),
        (#"call a.b "a\"b\\c\n" '\n'"#, ["call", "a.b", #"a"b\c\n"#, #"\n"#]),
        (##"call a.b two\ words \#"##, ["call", "a.b", "two words", "#"]),
        (#"a "" ''"#, ["a", "", ""]),
        (##"rpc a.b {"a":1}"##, ["rpc", "a.b", "{a:1}"]),
        (##"rpc a.b '{"a":1}'"##, ["rpc", "a.b", #"{"a":1}"#]),
        ("read lab\r", ["read", "lab"]),
    ])
    func `a line is split as a shell does`(line: String, words: [String]) throws {
        #expect(try ShellLine.words(ofScript: line) == words)
    }

    @Test(arguments: [
        ("a \u{301}b", ["a", "\u{301}b"]), ("a\t\u{301}", ["a", "\u{301}"]), ("\"\u{301}a\"", ["\u{301}a"]),
        ("'\u{301}a'", ["\u{301}a"]), ("'a\u{301}'\u{301}", ["a\u{301}\u{301}"]), ("\\\\\u{301}", ["\\\u{301}"]),
        ("\"\\\"\u{301}\"", ["\"\u{301}"]), ("a #\u{301} b", ["a"]), ("a\r\nb\r\n", ["a", "b"]),
        ("x=e\u{301}", ["x=e\u{301}"]),
    ])
    func `a combining mark belongs to no quote, backslash or blank`(line: String, words: [String]) throws {
        let found = try ShellLine.words(ofScript: line)
        #expect(found.map { Array($0.unicodeScalars) } == words.map { Array($0.unicodeScalars) })
    }

    @Test(arguments: [#"call "a"#, "call 'a", #"call a\"#])
    func `what is not closed is refused`(line: String) {
        #expect(throws: CommandFailure.self) { try ShellLine.words(ofScript: line) }
    }
}

import Testing
import ViewModelProtocol

/// The examples of RFC 6901, section 5, and what is no pointer.
@Suite struct JSONPointerTests {
    private let document =
        JSONValue(
            text: #"""
                {"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}
                """#
        ) ?? .null

    @Test(arguments: [
        ("/foo/0", "\"bar\""), ("/", "0"), ("/a~1b", "1"), ("/c%d", "2"), ("/e^f", "3"), ("/g|h", "4"),
        (#"/i\j"#, "5"), (#"/k"l"#, "6"), ("/ ", "7"), ("/m~0n", "8"),
    ])
    func `a pointer leads to its value`(pointer: String, value: String) throws {
        let parsed = try #require(JSONPointer(pointer))
        #expect(document[parsed] == JSONValue(text: value))
        #expect(parsed.description == pointer)
    }

    @Test func `names in two forms of one text are two places`() throws {
        let document = try #require(JSONValue(text: "{\"\u{E9}\":1,\"e\u{301}\":2}"))
        #expect(document[JSONPointer(tokens: ["\u{E9}"])] == .integer(1))
        #expect(document[JSONPointer(tokens: ["e\u{301}"])] == .integer(2))
        #expect(JSONPointer(tokens: ["\u{E9}"]) != JSONPointer(tokens: ["e\u{301}"]))
    }

    @Test func `the empty pointer is the whole value`() throws {
        #expect(document[try #require(JSONPointer(""))] == document)
    }

    @Test(arguments: ["foo", "/a~2b", "/a~"])
    func `what is no pointer is refused`(text: String) {
        #expect(JSONPointer(text) == nil)
    }

    @Test(arguments: ["/foo/2", "/foo/-", "/foo/00", "/foo/bar", "/nothing"])
    func `a pointer to nothing finds nothing`(text: String) throws {
        #expect(document[try #require(JSONPointer(text))] == nil)
    }
}

import Testing
import ViewModelProtocol

@Suite struct JSONPatchTests {
    private let document = JSONValue(text: #"{"rows":[{"id":1},{"id":2}],"led":"0"}"#) ?? .null

    @Test func `a failure names the operation and the place`() {
        var result = document
        let patch = JSONPatch([
            .remove(path: JSONPointer(tokens: ["led"])),
            .replace(path: JSONPointer(tokens: ["rows", "7"]), value: .null),
        ])
        let failure = #expect(throws: JSONPatch.Failure.self) { try patch.apply(to: &result) }
        #expect(failure?.operation == 1)
        #expect(failure?.path.description == "/rows/7")
        #expect(result == document)
    }

    @Test func `test compares numbers by value`() throws {
        var result = document
        try JSONPatch([.test(path: JSONPointer(tokens: ["rows", "0", "id"]), value: .number("1.0"))]).apply(to: &result)
    }

    @Test func `names and texts are those with the same code points`() throws {
        let (composed, decomposed) = (JSONPointer(tokens: ["\u{E9}"]), JSONPointer(tokens: ["e\u{301}"]))
        var result = try #require(JSONValue(text: "{\"\u{E9}\":{}}"))
        #expect(throws: JSONPatch.Failure.self) { try JSONPatch([.remove(path: decomposed)]).apply(to: &result) }
        let inside = JSONPointer(tokens: ["e\u{301}"])
        try JSONPatch([.move(from: composed, path: inside)]).apply(to: &result)
        #expect(result.description.utf8.elementsEqual("{\"e\u{301}\":{}}".utf8))
        try JSONPatch([.replace(path: inside, value: .string("\u{E9}"))]).apply(to: &result)
        #expect(throws: JSONPatch.Failure.self) {
            try JSONPatch([.test(path: inside, value: .string("e\u{301}"))]).apply(to: &result)
        }
    }

    @Test func `a value cannot be moved into itself`() {
        var result = document
        let patch = JSONPatch([
            .move(from: JSONPointer(tokens: ["rows"]), path: JSONPointer(tokens: ["rows", "0", "rows"]))
        ])
        #expect(throws: JSONPatch.Failure.self) { try patch.apply(to: &result) }
    }

    @Test func `what is written can be read`() throws {
        let patch = JSONPatch([
            .add(path: JSONPointer(tokens: ["a/b", "m~n"]), value: .null),
            .remove(path: JSONPointer(tokens: [])),
            .replace(path: JSONPointer(tokens: [""]), value: .bool(true)),
            .move(from: JSONPointer(tokens: ["x"]), path: JSONPointer(tokens: ["y"])),
            .copy(from: JSONPointer(tokens: ["x"]), path: JSONPointer(tokens: ["-"])),
            .test(path: JSONPointer(tokens: ["0"]), value: .string("ü")),
        ])
        let text = try JSONWriter.text(of: patch)
        #expect(try text.withUnsafeBytes { try JSONValueDecoder.decode(JSONPatch.self, from: $0) } == patch)
        #expect(String(decoding: text, as: UTF8.self).hasPrefix(#"[{"op":"add","path":"/a~1b/m~0n","value":null}"#))
    }
}

import JSONRPC
import Testing

@Suite struct `Verified text` {
    @Test(arguments: [
        ("", ""), ("abc", "abc"), (#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{C}\n\r\t"), (#"\u00e9\u20AC"#, "é€"),
        (#"x\ud834\udd1ey"#, "x\u{1D11E}y"), ("é€\u{1D11E}", "é€\u{1D11E}"), (#"\u0000"#, "\0"),
        (#"\uffff"#, "\u{FFFF}"),
    ])
    func `escapes are resolved`(_ text: String, _ expected: String) {
        #expect(Array(withText(text) { JSONText.string($0) }.utf8) == Array(expected.utf8))
    }

    @Test func `members come in their order, doubled ones too`() {
        let text = #" { "a" : 1 , "b\n":[1,{"c":"}"}],"a": "x\"]" ,"":{} } "#
        var members: [String] = []
        withText(text) { bytes in
            JSONText.forEachMember(of: bytes) { name, range in members.append("\(name)=\(part(text, range) ?? "")") }
        }
        #expect(members == ["a=1", "b\n=[1,{\"c\":\"}\"}]", #"a="x\"]""#, "={}"])
    }

    @Test(arguments: [
        ("[]", []), (" [ ] ", []), ("[1]", ["1"]),
        (
            #"[ "a,]" , [[],[1,2]] , {"a":[3]} , true,null ,-1e5 ]"#,
            [#""a,]""#, "[[],[1,2]]", #"{"a":[3]}"#, "true", "null", "-1e5"]
        ),
    ])
    func `elements come in their order`(_ text: String, _ expected: [String]) {
        var elements: [String?] = []
        withText(text) { bytes in JSONText.forEachElement(of: bytes) { elements.append(part(text, $0)) } }
        #expect(elements == expected)
    }

    @Test func `a closure's error ends the walk`() {
        var count = 0
        #expect(throws: Unexpected.self) {
            try withText("[1,2,3]") { bytes in
                try JSONText.forEachElement(of: bytes) { _ in
                    count += 1
                    if count == 2 { throw Unexpected() }
                }
            }
        }
        #expect(count == 2)
    }

    @Test(
        arguments: [
            (" {}", .object), ("[]", .array), ("\n\"\"", .string), ("-1", .number), ("0", .number), ("true", .boolean),
            ("false", .boolean), ("null", .null),
        ] as [(String, JSONKind)]
    )
    func `a kind is known by its first byte`(_ text: String, _ kind: JSONKind) {
        #expect(withText(text) { JSONText.kind(of: $0) } == kind)
    }
}

import JSONRPC
import Testing

@Suite struct `Request ids` {
    static func id(_ lexeme: String) -> RequestID {
        withText(lexeme) { RequestID(in: $0, at: 0..<$0.count) }
    }

    @Test(
        arguments: [
            ("1", .number("1")), ("1.0", .number("1.0")), ("-0", .number("-0")), ("null", .null), (#""""#, .string("")),
            (#""null""#, .string("null")), (#""\u0041\n\u0000\ud834\udd1e""#, .string("A\n\0\u{1D11E}")),
        ] as [(String, RequestID)]
    )
    func `a lexeme is read`(_ lexeme: String, _ expected: RequestID) {
        #expect(Self.id(lexeme) == expected)
    }

    @Test(arguments: [
        "1", "1.0", "12345678901234567890", "1e400", "null", #""""#, #""a b""#, #""é\\\"/""#, #""\u007f""#,
    ])
    func `what is written is equal, a number letter by letter`(_ lexeme: String) {
        var writer = JSONWriter()
        Self.id(lexeme).write(to: &writer)
        let written = String(decoding: writer.bytes, as: UTF8.self)
        #expect(Self.id(written) == Self.id(lexeme))
        #expect(lexeme.hasPrefix("\"") || written == lexeme)
    }

    @Test(arguments: [
        ("1", #""1""#, false), ("1", "1.0", false), ("1", "1e0", false), ("null", #""null""#, false),
        ("0", "-0", false),
        ("null", "0", false), (#""a""#, #""A""#, false), ("\"é\"", "\"e\u{301}\"", false),
        ("1", "1", true), (#""A""#, #""\u0041""#, true), ("null", "null", true),
        ("\"\u{1D11E}\"", #""\ud834\udd1e""#, true),
    ])
    func `two lexemes are one id, or two`(_ first: String, _ second: String, isOne: Bool) {
        #expect((Self.id(first) == Self.id(second)) == isOne)
        #expect(Set([Self.id(first), Self.id(second)]).count == (isOne ? 1 : 2))
    }
}

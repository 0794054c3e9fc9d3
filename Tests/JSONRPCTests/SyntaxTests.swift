import JSONRPC
import Testing

@Suite struct `Verifying a message` {
    @Test(arguments: [
        (#"{"jsonrpc":"2.0","id":9,"#, 24), ("", 0), ("  ", 2), ("nonsense", 1), ("{", 1), ("[", 1), ("[1", 2),
        ("[1,", 3),
        ("[1,]", 3), ("[,1]", 1), ("{,}", 1), (#"{"a"}"#, 4), (#"{"a":}"#, 5), (#"{"a":1,}"#, 7), (#"{"a":1"#, 6),
        (#"{a:1}"#, 1), ("01", 1), ("1.", 2), ("-", 1), ("+1", 0), (".5", 0), ("1e", 2), ("1e+", 3), ("0x1", 1),
        ("NaN", 0),
        ("tru", 3), ("nul ", 3), ("truE", 3), ("[] []", 3), ("{}{}", 2), ("[1 2]", 3), (#"["a" "b"]"#, 5), ("[1}", 2),
        (#"{"a":1]"#, 6), ("]", 0), (#"["\x"]"#, 3), (#"["\u12"]"#, 6), (#"["\u12g4"]"#, 6), ("[\"\n\"]", 2),
        ("[\"", 2),
        ("[\"a\\", 4), ("\u{A0}[]", 0), ("\u{B}[]", 0), ("\u{FEFF}[]", 0), ("[]\u{0}", 2), ("[/**/]", 1), ("'a'", 0),
        (#"{"jsonrpc":"2.0","id":1,"method":"a"},"#, 37),
    ])
    func `a fault is refused where it stands`(_ text: String, _ offset: Int) {
        #expect(syntaxError(text) == offset)
    }

    @Test(arguments: ["[]", "{}"].flatMap { text in [" ", "\t", "\r", "\n", " \r\n\t "].map { ($0, text) } })
    func `white space around a message is allowed`(_ space: String, _ text: String) {
        #expect(syntaxError(space + text + space) == nil)
        #expect(
            syntaxError(
                #"\#(space)[\#(space)\#(text)\#(space),\#(space){\#(space)"a"\#(space):\#(space)1\#(space)}\#(space)]"#
            ) == nil
        )
    }

    @Test(arguments: [
        #""\ud800""#, #""\udc00""#, #""\udd1e\ud834""#, #""\ud800\u0041""#, #""\uD834x""#, #""\udfff""#, #""\ud800\n""#,
        #""\ud800\ud800\udc00""#, #""\ud800"#, #""\ud800\"#,
    ])
    func `a lone surrogate is refused everywhere`(_ string: String) {
        #expect(syntaxError(string) != nil)
        #expect(syntaxError("[\(string)]") != nil)
        #expect(syntaxError("{\(string):1}") != nil)
        #expect(syntaxError(#"{"jsonrpc":"2.0","id":1,"method":"a","params":{\#(string):1}}"#) != nil)
        #expect(syntaxError(#"{"jsonrpc":"2.0","id":\#(string),"method":"a"}"#) != nil)
        #expect(syntaxError(#"{\#(string):"2.0","id":1,"method":"a"}"#) != nil)
    }

    @Test(
        arguments: [
            [0xFF], [0x80], [0xC3], [0xC0, 0xAF], [0xC1, 0xBF], [0xE0, 0x80, 0xAF], [0xED, 0xA0, 0x80],
            [0xED, 0xBF, 0xBF],
            [0xF0, 0x80, 0x80, 0xAF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80],
            [0xF8, 0x88, 0x80, 0x80, 0x80],
            [0xE2, 0x82], [0xF0, 0x9D, 0x84], [0xE2, 0x28, 0xA1], [0xE2, 0x82, 0x28], [0xF0, 0x9D, 0x84, 0x28],
        ] as [[UInt8]]
    )
    func `bytes that are no UTF-8 are refused everywhere`(_ bytes: [UInt8]) {
        #expect(syntaxError(bytes) == 0)
        for padding in 0..<20 {
            let filler = Array(repeating: UInt8(ascii: "x"), count: padding)
            #expect(syntaxError([0x22] + filler + bytes + [0x22]) != nil)
            #expect(syntaxError([0x22] + filler + bytes + filler + [0x22]) != nil)
            #expect(syntaxError([0x22] + filler + bytes) != nil)
        }
        #expect(syntaxError(Array("[]".utf8) + bytes) != nil)
        #expect(syntaxError([0x7B, 0x22] + bytes + Array(#"":1}"#.utf8)) != nil)
    }

    @Test func `every scalar that UTF-8 can spell is accepted in a string`() {
        var text: [UInt8] = [0x22]
        for value in UInt32(0x20)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value), value != 0x22, value != 0x5C else { continue }
            text.append(contentsOf: UTF8.encode(scalar).map(Array.init) ?? [])
        }
        #expect(syntaxError(text + [0x22]) == nil)
    }

    @Test(arguments: UInt8(0)..<0x20)
    func `a control character in a string is refused`(_ control: UInt8) {
        for padding in 0..<20 {
            let filler = Array(repeating: UInt8(ascii: "x"), count: padding)
            #expect(syntaxError([0x22] + filler + [control] + filler + [0x22]) == padding + 1)
        }
    }

    @Test(arguments: [("[", "]"), (#"{"a":"#, "}"), (#"[{"a":"#, "}]")])
    func `128 levels are good, one more is not`(_ opening: String, _ closing: String) {
        let step = opening.hasPrefix("[{") ? 2 : 1
        func nested(_ depth: Int) -> String {
            String(repeating: opening, count: depth / step) + "0" + String(repeating: closing, count: depth / step)
        }
        #expect(syntaxError(nested(128)) == nil)
        #expect(syntaxError(nested(128 + step)) != nil)
        let request = #"{"jsonrpc":"2.0","id":1,"method":"a","params":"#
        #expect(syntaxError(request + "[" + nested(126) + "]}") == nil)
        #expect(syntaxError(request + "[" + nested(126 + step) + "]}") != nil)
        #expect(syntaxError("[" + request + "[" + nested(126) + "]}]") != nil)
    }

    @Test func `levels that have been left do not count`() {
        let shallow = "[" + Array(repeating: "[[[]]],{}", count: 500).joined(separator: ",") + "]"
        #expect(syntaxError(shallow) == nil)
    }

    @Test(arguments: ["[", #"{"a":"#, #"[{"":"#])
    func `a hundred thousand open brackets fail at level 129`(_ opening: String) {
        let text = String(repeating: opening, count: 100_000)
        let expected = opening == "[" ? 128 : opening == #"{"a":"# ? 128 * 5 : 64 * 5
        #expect(syntaxError(text) == expected)
    }

    @Test func `brackets in a string are no levels`() {
        #expect(syntaxError(#"["\#(String(repeating: "[", count: 500))\"{"]"#) == nil)
    }
}

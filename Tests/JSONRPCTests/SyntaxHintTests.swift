import JSONRPC
import TestSupport
import Testing

@Suite struct `A hint about a syntax error` {
    private static let oneLine = "A message is one line"

    @Test(arguments: [
        // JSON that was written on several lines: each line is a message.
        ("{", oneLine), (#"  "jsonrpc": "2.0","#, oneLine), (#"  "id": 1,"#, oneLine), (#"  "method": "x""#, oneLine),
        ("}", oneLine), ("  ]", oneLine), (#"{"jsonrpc":"2.0","id":9,"#, oneLine), (#"{"a":"b"#, oneLine),
        ("[", oneLine),
        // Two messages on a line.
        (#"{"a":1}{"b":2}"#, "A line has one message"), (#"{"a":1} [1]"#, "A line has one message"),
        (#"{"a":1}}"#, "A line has one message"), ("[1]x", "A line has one message"),
        // Another notation.
        (#"{'a':1}"#, "double quotes"), (#"{"a":'b'}"#, "double quotes"), ("`a`", "double quotes"),
        ("{\"a\":\u{201C}b\u{201D}}", "straight double quotes"), ("{a:1}", "name of a member is a string"),
        (#"{"a":1,}"#, "No comma"), ("[1,2,\t]", "No comma"), (#"{"a":1 "b":2}"#, "a comma between"),
        ("[1 2]", "a comma between"),
        (#"["a" "b"]"#, "a comma between"), (#"{"a" "b"}"#, "A colon stands between"),
        ("[True]", "no True"), (#"{"a":None}"#, "no None"), ("[NaN]", "no NaN"), ("[-Infinity]", "no -Infinity"),
        ("[undefined]", "no undefined"), ("[1 // one\n]", "no comments"), ("# [1]", "no comments"),
        ("/* */ 1", "no comments"),
        ("[01]", "A number is decimal"), ("[+1]", "A number is decimal"), ("[.5]", "A number is decimal"),
        ("[1.]", "A number is decimal"), ("[0x1f]", "A number is decimal"),
        ("GET / HTTP/1.1", "without HTTP"), ("POST /rpc HTTP/1.1", "without HTTP"),
        // Encodings and strings.
        ("\u{FEFF}{}", "byte order mark"), ("{}\0", "NUL"), (#"{"a":"\#0"}"#, "NUL"), ("{\0\"\0", "NUL"),
        (#"["\ud800"]"#, "form a pair"), (#"["\udc00\ud800"]"#, "form a pair"), (#"["\uD83Dx"]"#, "form a pair"),
        ("[\"\t\"]", "control character"), (#"["\x"]"#, "An escape is one of"),
        (#"["\u12\u0041"]"#, "An escape is one of"),
        (String(repeating: "[", count: 129), "128 levels"), (String(repeating: #"{"a":"#, count: 129), "128 levels"),
    ])
    func `names the likely cause`(_ text: String, _ part: String) throws {
        let hint = try #require(cause(of: Array(text.utf8), isLine: true))
        #expect(hint.contains(part))
        #expect(!hint.hasSuffix("."))
    }

    @Test(
        arguments: [
            ([0xFF, 0xFE, 0x7B, 0x00], "not UTF-16"), ([0xFE, 0xFF, 0x00, 0x7B], "not UTF-16"),
            ([0x22, 0xC3, 0x22], "not valid UTF-8"), ([0x22, 0xED, 0xA0, 0x80, 0x22], "not valid UTF-8"),
        ] as [([UInt8], String)]
    )
    func `names a wrong encoding`(_ bytes: [UInt8], _ part: String) throws {
        #expect(try #require(cause(of: bytes, isLine: true)).contains(part))
    }

    @Test(arguments: [
        ("{", "in bytes, not in characters"), (#"{"a":1}{}"#, "has one JSON value"), (#""a":1"#, "has one JSON value"),
    ])
    func `knows that a message with headers may have line breaks`(_ text: String, _ part: String) throws {
        #expect(try #require(cause(of: Array(text.utf8), isLine: false)).contains(part))
    }

    @Test(arguments: ["nonsense", "[tru]", "]x", "{\"a\":1]", ",", "[1,2}"])
    func `is left out for an unknown cause`(_ text: String) {
        #expect(cause(of: Array(text.utf8), isLine: false) == nil)
    }

    @Test func `never fails, whatever the message is`() {
        var random = Seeded(17)
        let seeds = [
            #"{"jsonrpc":"2.0","id":1,"method":"a.b","params":["é\ud83d\ude00\n",1e5,{"a":[true,null]}]}"#, "'{[\\u",
        ]
        for _ in 0..<20_000 {
            var bytes = Array(seeds[Int.random(in: 0..<seeds.count, using: &random)].utf8)
            for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                if Bool.random(using: &random) {
                    bytes[place] = UInt8.random(in: 0...255, using: &random)
                } else {
                    bytes.removeSubrange(place...)
                }
            }
            _ = cause(of: bytes, isLine: Bool.random(using: &random))
        }
    }

    @Test func `stands at every reason of an invalid request`() {
        for reason in InvalidReason.allCases { #expect(!reason.hint.isEmpty && !reason.hint.hasSuffix(".")) }
    }

    /// Returns the hint for a message, or nil; the message may be valid.
    private func cause(of bytes: [UInt8], isLine: Bool) -> String? {
        bytes.withUnsafeBytes { bytes in
            do throws(JSONSyntaxError) {
                try verify(bytes)
                return nil
            } catch {
                return SyntaxHint.hint(for: error, in: bytes, isLine: isLine)
            }
        }
    }
}

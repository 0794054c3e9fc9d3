import TestSupport
import JSONRPC
import Testing

@Suite struct `Writing text` {
    static func written(_ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter(reserving: 64)
        body(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func `tokens are written as they are`() {
        let text = Self.written {
            $0.raw("{\"a\":")
            $0.bool(true)
            $0.byte(UInt8(ascii: ","))
            $0.raw(Array("\"b\":".utf8))
            $0.null()
            $0.raw("}")
        }
        #expect(text == #"{"a":true,"b":null}"#)
    }

    @Test(arguments: [
        ("", #""""#), ("a\"b\\c/", #""a\"b\\c/""#), ("\n\r\t\u{8}\u{C}", #""\n\r\t\b\f""#),
        ("\0\u{1F}\u{1A}", #""\u0000\u001f\u001a""#), ("\u{7F}\u{2028}é\u{1D11E}", "\"\u{7F}\u{2028}é\u{1D11E}\""),
        ("12345678\n12345678", #""12345678\n12345678""#),
    ])
    func `only what must be is escaped`(_ value: String, _ expected: String) {
        #expect(Self.written { $0.string(value) } == expected)
    }

    @Test func `any string comes back, and has no line feed`() throws {
        var random = Seeded(42)
        let scalars = Array("\0\u{1}\n\r\t\"\\/ azAZ09é€\u{1D11E}\u{7F}\u{2028}\u{301}".unicodeScalars)
        for _ in 0..<3000 {
            var value = ""
            for _ in 0..<Int.random(in: 0...40, using: &random) {
                value.unicodeScalars.append(scalars.randomElement(using: &random) ?? "x")
            }
            let text = Self.written { $0.string(value) }
            #expect(!text.utf8.contains(10))
            #expect(Array(try decode(String.self, text).utf8) == Array(value.utf8))
            #expect(NaiveReader.read(Array(text.utf8)) == .string(value))
        }
    }

    @Test func `integers are written in full`() {
        for value in [0, 1, -1, 9, 10, 99, 100, 12_345, .max, .min] as [Int] {
            #expect(Self.written { $0.integer(value) } == "\(value)")
        }
        #expect(Self.written { $0.integer(UInt64.max) } == "18446744073709551615")
        #expect(Self.written { $0.integer(Int8.min) } == "-128")
        #expect(Self.written { $0.integer(UInt128.max) } == "\(UInt128.max)")
    }

    @Test(
        arguments: [
            (0, "0"), (-0.0, "-0"), (1, "1"), (-3, "-3"), (1.5, "1.5"), (0.1, "0.1"), (1e-7, "1e-07"),
            (1e300, "1e+300"),
            (9_007_199_254_740_991, "9007199254740991"), (.leastNonzeroMagnitude, "5e-324"), (1e15, "1000000000000000"),
        ] as [(Double, String)]
    )
    func `floating-point numbers are short`(_ value: Double, _ expected: String) {
        #expect(Self.written { $0.double(value) } == expected)
    }

    @Test func `any floating-point number comes back`() throws {
        var random = Seeded(43)
        for round in 0..<20_000 {
            let value =
                round % 2 == 0
                ? Double(bitPattern: random.next())
                : Double(Int.random(in: -1_000_000...1_000_000, using: &random)) / 1000
            guard value.isFinite else { continue }
            let text = Self.written { $0.double(value) }
            #expect(try decode(Double.self, text).bitPattern == value.bitPattern)
            #expect(NaiveReader.read(Array(text.utf8)) == .number(text))
        }
    }
}

import JSONRPC
import Testing

@testable import ViewModelContract

@Suite struct `Canonical JSON` {
    private func canonical(_ text: String) throws -> String {
        let value = try #require(JSONValue(text: text))
        return String(decoding: value.canonical, as: UTF8.self)
    }

    /// The IEEE 754 bits and the texts of RFC 8785, appendix B.
    static let numbers: [(UInt64, String)] = [
        (0x0000_0000_0000_0000, "0"), (0x8000_0000_0000_0000, "0"), (0x0000_0000_0000_0001, "5e-324"),
        (0x8000_0000_0000_0001, "-5e-324"), (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
        (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"), (0x4340_0000_0000_0000, "9007199254740992"),
        (0xc340_0000_0000_0000, "-9007199254740992"), (0x4430_0000_0000_0000, "295147905179352830000"),
        (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"), (0x44b5_2d02_c7e1_4af6, "1e+23"),
        (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"), (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
        (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"), (0x444b_1ae4_d6e2_ef50, "1e+21"),
        (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"), (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
        (0x41b3_de43_5555_5553, "333333333.3333332"), (0x41b3_de43_5555_5554, "333333333.33333325"),
        (0x41b3_de43_5555_5555, "333333333.3333333"), (0x41b3_de43_5555_5556, "333333333.3333334"),
        (0x41b3_de43_5555_5557, "333333333.33333343"), (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
        (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
    ]

    @Test(arguments: numbers)
    func `A number is written as ECMAScript writes it`(_ bits: UInt64, _ text: String) {
        #expect(JSONValue.ecmaScript(Double(bitPattern: bits)) == text)
    }

    @Test func `The example of RFC 8785 has its canonical form`() throws {
        let text = #"""
            {
              "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
              "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
              "literals": [null, true, false]
            }
            """#
        #expect(
            try canonical(text)
                == #"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"#
                + #""string":"€$\u000f\nA'B\"\\\\\"/"}"#
        )
    }

    @Test func `Members are sorted by UTF-16 code units`() throws {
        let text = #"""
            {"\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh", "1": "One",
             "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control", "\u00f6": "Latin Small Letter O With Diaeresis"}
            """#
        let order = try canonical(text).split(separator: ":\"").dropFirst().map { String($0.prefix(4)) }
        #expect(order == ["Carr", "One\"", "Cont", "Lati", "Euro", "Emoj", "Hebr"])
    }

    @Test func `A number beyond Double keeps its text`() throws {
        #expect(try canonical("[1e400]") == "[1e400]")
    }
}

@Suite struct `The contract's hash` {
    @Test func `Descriptions do not count, a member of that name does`() throws {
        func hash(_ description: String, type: String = "string") throws -> String {
            let text = """
                {"info": {"title": "ignored"}, "x-viewModels": {"book": {"description": \(description),
                 "outputs": {"description": {"kind": "state", "schema": {"type": "\(type)"}}}}}}
                """
            return ContractHash.of(document: try #require(JSONValue(text: text)))
        }
        let book = try hash(#""A book.""#)
        let (renamed, retyped) = try (hash(#""Another text.""#), hash(#""A book.""#, type: "integer"))
        let member = try hash(#"{"not": "a text"}"#)
        #expect(book == renamed)
        #expect(book != retyped)
        #expect(book != member)
    }
}

import TestSupport
import Foundation
import JSONRPC
import Testing

@Suite struct `Decoding` {
    @Test func `scalars, white space around them`() throws {
        #expect(try decode(Int.self, " 42\n") == 42)
        #expect(try decode(String.self, #" "a\u0041" "#) == "aA")
        #expect(try decode(Double.self, "-1.5e2") == -150)
        #expect(try decode(Int?.self, "1") == 1)
        #expect(try decode(Int??.self, "null") == .some(nil) || decode(Int??.self, "null") == nil)
    }

    @Test(
        arguments: [
            ("1.0", 1), ("-3.0", -3), ("1e2", 100), ("1.5e1", 15), ("100e-2", 1), ("0.0", 0), ("-0", 0), ("-0.0", 0),
            ("0e999", 0),
            ("9007199254740993", 9_007_199_254_740_993), ("9223372036854775807", .max), ("-9223372036854775808", .min),
            ("9223372036854775807.000", .max), ("0.0000000000000000000001e22", 1), ("922337203685477580.7e1", .max),
        ] as [(String, Int)]
    )
    func `an integer may have a point or an exponent`(_ text: String, _ expected: Int) throws {
        #expect(try decode(Int.self, text) == expected)
        #expect(try decode([Int].self, "[\(text)]") == [expected])
        #expect(try decode([String: Int].self, #"{"a":\#(text)}"#) == ["a": expected])
    }

    @Test func `floating-point numbers are rounded as by the standard library`() throws {
        var random = Seeded(11)
        for _ in 0..<20_000 {
            var text = Bool.random(using: &random) ? "-" : ""
            text +=
                "\(UInt64.random(in: 0...9_999_999_999_999_999, using: &random) >> UInt64.random(in: 0...50, using: &random))"
            if Bool.random(using: &random) { text += ".\(UInt32.random(in: 0...999_999, using: &random))" }
            if Int.random(in: 0...3, using: &random) == 0 { text += "e\(Int.random(in: -30...30, using: &random))" }
            #expect(try decode(Double.self, text).bitPattern == Double(text)?.bitPattern, "\(text)")
        }
    }

    @Test func `synthesised structs, their members in any order`() throws {
        let text = """
            { "windows" : { "y" : { "limit" : null, "offset" : 1 } }, "isFast":true, "id":"a", "outputs":["x","y"] }
            """
        #expect(
            try decode(Bind.self, text)
                == Bind(id: "a", outputs: ["x", "y"], windows: ["y": Window(offset: 1)], isFast: true)
        )
    }

    @Test func `the last of doubled members wins`() throws {
        #expect(try decode(Window.self, #"{"offset":1,"offset":2,"\u006fffset":3}"#) == Window(offset: 3))
        let many = (0..<100).map { #""k\#($0 % 50)":\#($0)"# }.joined(separator: ",")
        let members = try decode([String: Int].self, "{\(many)}")
        #expect(members.count == 50 && members["k7"] == 57)
    }

    @Test func `large objects`() throws {
        let text = "{" + (0..<20_000).map { #""k\#($0)":\#($0)"# }.joined(separator: ",") + "}"
        let members = try decode([String: Int].self, text)
        #expect(members.count == 20_000 && members["k19999"] == 19_999)
    }

    @Test func `names are told apart by their code points`() throws {
        struct Accents: Decodable {
            enum CodingKeys: String, CodingKey {
                case composed = "\u{E9}"
                case decomposed = "e\u{301}"
            }
            var composed: Int
            var decomposed: Int
        }
        let value = try decode(Accents.self, "{\"e\u{301}\":2,\"\u{E9}\":1}")
        #expect(value.composed == 1 && value.decomposed == 2)
    }

    @Test func `enums`() throws {
        #expect(try decode([Key].self, #"["1","\u002b"]"#) == [.one, .plus])
        #expect(try decode(Level.self, "1e1") == .high)
        #expect(try decode([Shape?].self, #"[{"point":{}},null]"#) == [.point, nil])
    }

    @Test func `a superclass stands under super`() throws {
        let dog = try decode(Dog.self, #"{"name":"Rex","super":{"legs":3}}"#)
        #expect(dog.name == "Rex" && dog.legs == 3)
    }

    @Test func `JSON text is what stands there`() throws {
        #expect(try decode(Verbatim.self, " {\"a\": 1.0}\n") == Verbatim("{\"a\": 1.0}"))
        #expect(
            try decode([String: [Verbatim]].self, #"{"x":[ [1 , 2] ,"\u0041"]}"#) == [
                "x": [.init("[1 , 2]"), .init(#""\u0041""#)]
            ]
        )
    }

    @Test func `elements are counted`() throws {
        struct Counted: Decodable {
            var count: Int?
            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                count = container.count
                while !container.isAtEnd { _ = try container.decode(Verbatim.self) }
                #expect(container.currentIndex == count)
                #expect(throws: DecodingError.self) { try container.decode(Int.self) }
            }
        }
        #expect(try decode(Counted.self, "[1,[2,3],{}]").count == 3)
        #expect(try decode(Counted.self, "[ ]").count == 0)
    }

    @Test func `an attempt that fails leaves the element for the next one`() throws {
        struct Either: Decodable {
            var texts: [String] = []
            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                while !container.isAtEnd {
                    if try container.decodeNil() {
                        texts.append("nil")
                    } else if let window = try? container.decode(Window.self) {
                        texts.append("window \(window.offset)")
                    } else {
                        texts.append(try container.decode(String.self))
                    }
                }
            }
        }
        #expect(try decode(Either.self, #"["a",{"offset":1},null,"b"]"#).texts == ["a", "window 1", "nil", "b"])
    }

    @Test func `a decoder kept after its time throws`() throws {
        final class Keeper: Decodable {
            let decoder: any Decoder
            let container: KeyedDecodingContainer<AnyKey>
            init(from decoder: any Decoder) throws {
                self.decoder = decoder
                container = try decoder.container(keyedBy: AnyKey.self)
                _ = container.allKeys
            }
        }
        let keeper = try decode(Keeper.self, #"{"a":1}"#)
        #expect(keeper.container.allKeys.isEmpty)
        #expect(throws: DecodingError.self) { try keeper.container.decode(Int.self, forKey: AnyKey(stringValue: "a")) }
        #expect(throws: DecodingError.self) { try keeper.decoder.container(keyedBy: AnyKey.self) }
        #expect(throws: DecodingError.self) { try keeper.decoder.singleValueContainer() }
        #expect(throws: DecodingError.self) { try keeper.decoder.unkeyedContainer() }
        #expect(keeper.decoder.codingPath.isEmpty && keeper.decoder.userInfo.isEmpty)
    }
}

import Foundation
import JSONRPC
import Testing

@Suite struct `Encoding` {
    @Test func `scalars`() throws {
        try expectCoding(1, "1")
        try expectCoding(UInt64.max, "18446744073709551615")
        try expectCoding(Int8.min, "-128")
        try expectCoding("a\"", #""a\"""#)
        try expectCoding(true, "true")
        try expectCoding(2.0, "2")
        try expectCoding(0.1 as Float, "0.1")
        try expectCoding(16_777_216 as Float, "16777216")
        try expectCoding(Int?.none, "null")
        try expectCoding([1, nil, 3], "[1,null,3]")
        try expectCoding([[Int]](), "[]")
        try expectCoding([[], [1], [2, 3]], "[[],[1],[2,3]]")
    }

    @Test func `a nil member is null`() throws {
        try expectCoding(
            Bind(id: "a"),
            #"{"id":"a","outputs":null,"windows":null,"minInterval":null,"isFast":null}"#
        )
        try expectCoding(
            Bind(id: "a", outputs: ["x"], windows: ["y": Window(offset: 1)], minInterval: 1.5, isFast: false),
            #"{"id":"a","outputs":["x"],"windows":{"y":{"offset":1,"limit":null}},"minInterval":1.5,"isFast":false}"#
        )
    }

    @Test func `a nil member is null, of whatever type`() throws {
        struct Nested: Codable { var x: Int? }
        enum Tag: String, Codable { case a }
        struct All: Codable {
            var bool: Bool?, int: Int?, int8: Int8?, int16: Int16?, int32: Int32?, int64: Int64?, int128: Int128?
            var uint: UInt?, uint8: UInt8?, uint16: UInt16?, uint32: UInt32?, uint64: UInt64?, uint128: UInt128?
            var double: Double?, float: Float?, string: String?, date: Date?, data: Data?, url: URL?, uuid: UUID?
            var decimal: Decimal?, nested: Nested?, tag: Tag?, list: [Int]?, table: [String: Int]?, shape: Shape?
        }
        let text = try encode(All())
        let members = try #require(JSONValue(text: text)?.objectValue)
        #expect(members.count == 26 && members.values.allSatisfy(\.isNull), "\(text)")
        #expect(try encode(All(nested: Nested())).contains(#""nested":{"x":null}"#))
        #expect(try encode(Note.note(1, text: nil)) == #"{"note":{"_0":1,"text":null}}"#)
        #expect(try decode(Note.self, #"{"note":{"_0":1}}"#) == .note(1, text: nil))
    }

    private enum Note: Codable, Equatable { case note(Int, text: String?) }

    @Test func `dictionaries with string or integer keys are objects`() throws {
        try expectCoding(["a\n": 1], #"{"a\n":1}"#)
        try expectCoding([7: "x"], #"{"7":"x"}"#)
        try expectCoding([-1: "y"], #"{"-1":"y"}"#)
        try expectCoding([String: Int](), "{}")
    }

    @Test func `enums`() throws {
        try expectCoding(Key.plus, #""+""#)
        try expectCoding([Level.low, .high], "[1,10]")
        try expectCoding(Shape.point, #"{"point":{}}"#)
        try expectCoding(
            [Shape.circle(radius: 1), .line(2, to: [.one])],
            #"[{"circle":{"radius":1}},{"line":{"_0":2,"to":["1"]}}]"#
        )
    }

    @Test func `a type without properties is an empty object`() throws {
        try expectCoding([Empty(), Empty()], "[{},{}]")
    }

    @Test func `nested containers may be filled in turns`() throws {
        let value = Interleaved(left: [1, 2, 3, 4], middle: 5, right: ["a": 6, "b": 7])
        let one = #"{"left":[[1],[2],[3],[4]],"right":{"a":6,"b":7},"middle":5}"#
        try expectCoding([value, value], "[\(one),\(one)]")
    }

    @Test func `a superclass stands under super`() throws {
        #expect(try encode([Dog(name: "Rex")]) == #"[{"super":{"legs":4},"name":"Rex"}]"#)
    }

    @Test func `dates and data are strings`() throws {
        try expectCoding(Date(timeIntervalSince1970: 0), #""1970-01-01T00:00:00Z""#)
        try expectCoding([Date(timeIntervalSince1970: 1_769_860_800.25)], #"["2026-01-31T12:00:00.250Z"]"#)
        try expectCoding(["a": Data([0xFB, 0xFF])], #"{"a":"+/8="}"#)
    }

    @Test func `JSON text is put in as it is, line breaks made spaces`() throws {
        #expect(try encode(Verbatim("{\"a\":1.0}")) == "{\"a\":1.0}")
        #expect(try encode(["x": Verbatim("[\r\n1]")]) == #"{"x":[  1]}"#)
        #expect(try encode([Verbatim("1"), Verbatim("null")]) == "[1,null]")
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan])
    func `a number that is not finite is refused, and nothing is written`(_ value: Double) throws {
        var writer = JSONWriter()
        writer.raw("before")
        #expect(throws: EncodingError.self) { try writer.encode(value) }
        #expect(throws: EncodingError.self) { try writer.encode(["a": [1, value]]) }
        #expect(throws: EncodingError.self) { try writer.encode(Float(value)) }
        #expect(throws: EncodingError.self) { try writer.encode(Shape.circle(radius: value)) }
        #expect(writer.bytes == Array("before".utf8))
        let error = #expect(throws: EncodingError.self) { try writer.encode(["a": [1, value]]) }
        guard case .invalidValue(_, let context) = error else { throw Unexpected() }
        #expect(context.codingPath.map(\.stringValue) == ["a", "1"])
    }

    @Test func `a date outside of the years of RFC 3339 is refused`() {
        #expect(throws: EncodingError.self) { try encode(Date(timeIntervalSince1970: 1e12)) }
        #expect(throws: EncodingError.self) { try encode(Date.distantFuture.addingTimeInterval(1e15)) }
    }

    @Test func `what Foundation decodes is what was encoded`() throws {
        let windows = ["y": Window(offset: -1, limit: 2)]
        let value = Bind(id: "é\"", outputs: ["x", ""], windows: windows, minInterval: 1e-9)
        #expect(try JSONDecoder().decode(Bind.self, from: Data(encode(value).utf8)) == value)
    }

    @Test func `a failure that a type swallows leaves valid text`() throws {
        struct Careless: Encodable {
            enum Keys: CodingKey { case bad, nested, good, list }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                try? container.encode(Double.nan, forKey: .bad)
                try? container.encode([Shape.circle(radius: 1), .circle(radius: .infinity)], forKey: .nested)
                try container.encode(1, forKey: .good)
                var list = container.nestedUnkeyedContainer(forKey: .list)
                try? list.encode([1, .nan])
                try? list.encode(-Double.infinity)
                try list.encode(2)
                try? list.encode(Float.nan)
            }
        }
        #expect(try encode([Careless(), Careless()]) == #"[{"good":1,"list":[2]},{"good":1,"list":[2]}]"#)
    }

    @Test func `a second value where there is one is refused`() {
        struct Twice: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(1)
                try container.encode(2)
            }
        }
        #expect(throws: EncodingError.self) { try encode(Twice()) }
    }
}

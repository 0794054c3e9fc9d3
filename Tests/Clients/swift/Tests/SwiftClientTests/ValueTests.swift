import AdversarialClient
import Foundation
import LabClient
import Testing

/// Values of generated types, read from the wire and written to it.
@Suite struct ValueTests {
    private func read<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        let json = try #require(JSONValue(text: text))
        return try #require(OutputEvent(output: "x", value: json).decoded(as: type))
    }

    private func written(_ value: some Encodable) throws -> JSONValue? {
        JSONValue(text: Array(try JSONEncoder().encode(value)))
    }

    @Test(arguments: [#""+""#, #""日本""#, #""""#, #""of another version""#])
    func `an enum keeps its raw value, known or not`(text: String) throws {
        let value = try read([Symbols].self, "[\(text)]")
        #expect(try written(value) == JSONValue(text: "[\(text)]"))
        #expect(Symbols.allCases.contains(value[0]) != text.contains("another"))
    }

    @Test(arguments: [
        #"{"circle":{"radius":2.5}}"#, #"{"square":{"_0":1}}"#, #"{"shape":{"shape":{"circle":{"radius":1}}}}"#,
        #"{"default":{}}"#, #"{"hexagon":{"side":[1]}}"#,
    ])
    func `an enum with values reads and writes the form of the wire`(text: String) throws {
        let shape = try read(Shape.self, text)
        #expect(try written(shape) == JSONValue(text: text))
        if text.contains("circle\":{\"radius\":2.5") { #expect(shape == .circle(ShapeCircle(radius: 2.5))) }
        if text.contains("hexagon") {
            guard case .unknown = shape else {
                Issue.record("\(shape) is not unknown")
                return
            }
        }
    }

    @Test func `a type that contains itself, and unknown members`() throws {
        let node = try read(
            Node.self,
            #"{"id":"a","news":[{}],"next":{"id":"b","children":[],"map":{}},"children":[{"id":"c","children":[],"map":{}}],"map":{}}"#
        )
        #expect(node.next?.value.id == "b")
        #expect(node.children.first?.id == "c")
    }

    @Test func `formats have types of Foundation`() throws {
        let formats = try read(
            Formats.self,
            #"""
            {"d":"2026-01-31T12:00:00Z","b":"AQI=","u":"6F9619FF-8B86-D011-B42D-00CF4FC964FF","l":"https://example.org/a",
             "m":"12.30","p":"secret","i":9007199254740993,"big":18446744073709551615,"f":0.5,"any":{"x":1},"null":null,
             "dict":{"a":[1]},"tuple":[1,"a"]}
            """#
        )
        #expect(formats.d == Date(timeIntervalSince1970: 1_769_860_800))
        #expect(formats.b == Data([1, 2]))
        #expect(formats.u.uuidString == "6F9619FF-8B86-D011-B42D-00CF4FC964FF")
        #expect(formats.l.host() == "example.org")
        #expect(formats.m == Decimal(string: "12.3"))
        #expect(formats.i == 9_007_199_254_740_993)
        #expect(formats.big == .max)
        #expect(formats.any["x"] == .integer(1))
    }

    @Test func `a member that may be left out is nil, and is left out`() throws {
        let value = try read(A.self, "{}")
        #expect(value.b == nil)
        #expect(try written(value) == JSONValue(text: "{}"))
    }
}

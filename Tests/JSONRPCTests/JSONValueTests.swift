import Foundation
import JSONRPC
import Testing

@Suite struct `JSON values` {
    static func value(_ text: String) throws -> JSONValue {
        try withText(text) { try JSONValue(parsing: $0) }
    }

    static let sample = #"{"a":[1.50,"x\n",true,null,{"b":{}}],"c":-0,"d":12345678901234567890}"#

    @Test func `what is read is written, numbers letter by letter`() throws {
        #expect(try Self.value(" \(Self.sample)\n").description == Self.sample)
        #expect(try Self.value(#"{"b":1,"a":2,"b":3}"#).description == #"{"b":3,"a":2}"#)
    }

    @Test func `members are written in the order of the text, and equal in any order`() throws {
        let left = try Self.value(#"{"é":1,"z":{"b":1,"a":2},"a":3}"#)
        let right = try Self.value(#"{"a":3,"z":{"a":2,"b":1},"é":1}"#)
        #expect(left.description == #"{"é":1,"z":{"b":1,"a":2},"a":3}"#)
        #expect(left == right && left.hashValue == right.hashValue)
        #expect(left != (try Self.value(#"{"é":1,"z":{"b":1,"a":2},"b":3}"#)))
    }

    @Test func `names in two forms of one text are two members`() throws {
        let text = "{\"\u{E9}\":1,\"e\u{301}\":2}"
        var value = try Self.value(text)
        #expect(value.description == text && value.description.utf8.elementsEqual(text.utf8))
        #expect(value["\u{E9}"] == .integer(1) && value["e\u{301}"] == .integer(2))
        #expect(value != .object(["e\u{301}": .integer(1), "\u{E9}": .integer(2)]))
        #expect(try Self.value("{\"\u{E9}\":1}") != Self.value("{\"e\u{301}\":1}"))
        var object = try #require(value.objectValue)
        object["e\u{301}"] = nil
        value = .object(object)
        #expect(value.description.utf8.elementsEqual("{\"\u{E9}\":1}".utf8))
        #expect(object.merging(["e\u{301}": .null]).count == 2)
    }

    @Test func `another encoder gets one of two names that differ only in their form`() throws {
        let object: JSONObject = ["\u{E9}": .integer(1), "e\u{301}": .integer(2)]
        let data = try JSONEncoder().encode(object)
        #expect(String(decoding: data, as: UTF8.self).hasSuffix(":2}"))
    }

    @Test func `a new member of an object is the last one, and a changed one keeps its place`() {
        var object: JSONObject = ["b": .integer(1), "a": .integer(2)]
        object["c"] = .integer(3)
        object["b"] = .integer(4)
        object["a"] = nil
        #expect(object.description == #"{"b":4,"c":3}"#)
        #expect(object.merging(["c": .integer(5), "a": .integer(6)]).description == #"{"b":4,"c":5,"a":6}"#)
    }

    @Test func `parts are reached by name and index`() throws {
        let value = try Self.value(Self.sample)
        #expect(value["a"]?[0]?.doubleValue == 1.5)
        #expect(value["a"]?[1]?.stringValue == "x\n")
        #expect(value["a"]?[2]?.boolValue == true)
        #expect(value["a"]?[3]?.isNull == true)
        #expect(value["a"]?[5] == nil && value["a"]?[-1] == nil && value["x"] == nil && value[0] == nil)
        #expect(value["c"]?.intValue == 0 && value["d"]?.intValue == nil)
        #expect(value["a"]?.arrayValue?.count == 5 && value.objectValue?.count == 3)
        #expect(JSONValue.integer(3).intValue == 3)
    }

    @Test(arguments: ["", "[", "{]", "\u{FEFF}1", "1 2", "\"\\ud800\""])
    func `what is no JSON is refused`(_ text: String) {
        #expect(throws: JSONSyntaxError.self) { try Self.value(text) }
    }

    @Test func `it is Codable here and elsewhere`() throws {
        let value = try Self.value(#"{"a":[1.5,"x",true,null,{"b":{}}],"c":-7}"#)
        #expect(try encode([value]) == "[\(value)]")
        #expect(try decode([JSONValue].self, "[\(value)]") == [value])
        #expect(try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value)) == value)
        #expect(try decode(JSONObject.self, #"{"a":1.0}"#)["a"]?.description == "1.0")
    }
}

@Suite struct `Error codes` {
    @Test func `the codes are those of the specification`() {
        let codes: [ErrorCode] = [.parseError, .invalidRequest, .methodNotFound, .invalidParams, .internalError]
        #expect(codes.map(\.rawValue) == [-32700, -32600, -32601, -32602, -32603])
    }
}

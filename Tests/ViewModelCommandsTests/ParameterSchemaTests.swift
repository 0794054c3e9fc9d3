import Testing
import ViewModelClient
import ViewModelContract

@testable import ViewModelCommands

@Suite struct ParameterSchemaTests {
    private static let schemas = #"""
        {"Key":{"type":"string","enum":["1","+"]},
         "Alias":{"$ref":"#/components/schemas/Key"},
         "Circle":{"$ref":"#/components/schemas/Circle"}}
        """#

    private func schema(_ text: String) -> ParameterSchema {
        ParameterSchema(
            #"""
            {"components":{"schemas":\#(Self.schemas)},"x-viewModels":{"a":{"inputs":{"b":{"schema":\#(text)}}}}}
            """#
        )
    }

    @Test(arguments: [
        (#"{"type":"string"}"#, "12", #""12""#),
        (#"{"type":"string"}"#, "null", #""null""#),
        (#"{"type":["string","null"]}"#, "null", #""null""#),
        (##"{"$ref":"#/components/schemas/Alias"}"##, "1", #""1""#),
        (#"{"type":"integer"}"#, "12", "12"),
        (#"{"type":"integer"}"#, "1e2", "1e2"),
        (#"{"type":"integer"}"#, "twelve", #""twelve""#),
        (#"{"type":"number"}"#, "1.5", "1.5"),
        (#"{"type":"boolean"}"#, "true", "true"),
        (#"{"type":"boolean"}"#, "yes", #""yes""#),
        (#"{"type":"array","items":{}}"#, "[1]", "[1]"),
        (#"{"type":"array","items":{}}"#, "1", #""1""#),
        (#"{"anyOf":[{"type":"string"},{"type":"integer"}]}"#, "5", "5"),
        (#"{"anyOf":[{"type":"string"},{"type":"integer"}]}"#, "true", #""true""#),
        (#"{"enum":[1,2]}"#, "2", "2"),
        (#"{}"#, "{\"a\":1}", "{\"a\":1}"),
        (#"{}"#, "text", #""text""#),
        ("true", "5", "5"),
    ])
    func `a text becomes a value of the kind that the schema takes`(text: String, word: String, value: String) {
        #expect(schema(text).value(of: word) == JSONValue(text: value))
    }

    @Test func `a circle of references ends`() {
        #expect(schema(##"{"$ref":"#/components/schemas/Circle"}"##).kinds.count == ParameterSchema.Kind.allCases.count)
    }

    @Test func `the named parts of a schema are found once, in the order of their use`() {
        let (alias, key) = (##"{"$ref":"#/components/schemas/Alias"}"##, ##"{"$ref":"#/components/schemas/Key"}"##)
        let text = #"{"properties":{"a":\#(alias),"b":{"items":\#(key)}}}"#
        #expect(schema(text).namedParts.map(\.name) == ["Key"])
        #expect(schema(text).namedParts.map(\.form) == ["1 | +"])
    }

    @Test(arguments: [
        (##"{"$ref":"#/components/schemas/Alias"}"##, "Key"),
        (##"{"anyOf":[{"type":"null"},{"$ref":"#/components/schemas/Key"}]}"##, "Key or null"),
        (#"{"type":"string","enum":["1","+"]}"#, "1 | +"),
        (
            #"{"type":"object","properties":{"to":{"type":"integer","minimum":1},"every":{}},"required":["to"]}"#,
            "{to: integer ≥ 1, every?: any}"
        ),
        (#"{"type":"string","minLength":3,"maxLength":64}"#, "string 3…64 characters"),
        (#"{"type":"string","format":"date-time"}"#, "date"), (#"{"type":"string","format":"byte"}"#, "base64"),
        (#"{"type":"array","items":{"type":"number"},"maxItems":2}"#, "[number] ≤ 2 items"),
        (#"{"type":"object","properties":{}}"#, ""), (#"{"type":"null"}"#, ""),
        (#"{"type":["integer","null"]}"#, "integer or null"), (#"{}"#, "any"),
        (#"{"type":"array","items":{"type":"object","properties":{"id":{}},"required":["id"]}}"#, "[{id: any}]"),
    ])
    func `a schema has a short text`(text: String, summary: String) {
        #expect(schema(text).summary == summary)
    }
}

extension ParameterSchema {
    /// Creates the schema of the input `a.b` in a document.
    init(_ document: String) {
        let contract = Contract(ofDaemon: JSONValue(text: document) ?? .null)
        self.init(contract.type("a")?.input("b")?.schema ?? .null, in: contract.components)
    }
}

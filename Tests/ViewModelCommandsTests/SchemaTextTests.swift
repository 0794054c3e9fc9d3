import Testing
import ViewModelClient
import ViewModelContract

@testable import ViewModelCommands

@Suite struct SchemaTextTests {
    private static let schemas = #"""
        {"Key":{"type":"string","enum":["1","+"]},
         "Alias":{"$ref":"#/components/schemas/Key"},
         "Circle":{"$ref":"#/components/schemas/Circle"}}
        """#

    private func schema(_ text: String) -> (ContractSchema, ContractComponents) {
        let contract = Contract(input: text, components: Self.schemas)
        return (contract.type("a")?.input("b")?.schema ?? .null, contract.components)
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
        let (schema, components) = schema(text)
        #expect(components.value(of: word, as: schema) == JSONValue(text: value))
    }

    @Test func `a circle of references ends`() {
        let (schema, components) = schema(##"{"$ref":"#/components/schemas/Circle"}"##)
        #expect(components.kinds(of: schema).count == JSONKind.allCases.count)
    }

    @Test func `the named parts of a schema are found once, in the order of their use`() {
        let (alias, key) = (##"{"$ref":"#/components/schemas/Alias"}"##, ##"{"$ref":"#/components/schemas/Key"}"##)
        let text = #"{"properties":{"a":\#(alias),"b":{"items":\#(key)}}}"#
        let (schema, components) = schema(text)
        let parts = components.namedParts(of: schema)
        #expect(parts.map(\.name) == ["Key"])
        #expect(parts.map { components.form(of: $0.schema) } == ["1 | +"])
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
        let (schema, components) = schema(text)
        #expect(components.summary(of: schema) == summary)
    }
}

extension Contract {
    /// Creates a contract with the input `a.b` of a schema.
    fileprivate init(input schema: String, components: String = "{}") {
        let types = #"{"a":{"inputs":{"b":{"schema":\#(schema)}}}}"#
        let document = #"{"components":{"schemas":\#(components)},"x-viewModels":\#(types)}"#
        self.init(ofDaemon: JSONValue(text: document) ?? .null)
    }
}

extension ParameterForm {
    /// Creates the form of an input with a schema.
    init(_ schema: String) {
        let contract = Contract(input: schema)
        self = contract.type("a").map { ParameterForm(of: "b", $0, in: contract) } ?? .unknown
    }
}

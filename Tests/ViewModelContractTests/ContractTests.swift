import JSONRPC
import Testing
import ViewModelContract

@Suite("A contract") struct ContractTests {
    private func contract(_ text: String) throws -> Contract { try Contract(ContractNode(json: text)) }

    @Test func `keeps the order of types and members`() throws {
        let contract = try contract(
            #"""
            {"info": {"title": "podcastd", "version": "1.2", "x-contract": "ab"},
             "x-viewModels": {
               "player": {"outputs": {"title": {"schema": {"type": "string"}}, "play.enabled": {"schema": {"type": "boolean"}}},
                          "inputs": {"title": {"schema": {"type": "string"}}, "seek": {"schema": {"type": "integer"}}},
                          "actions": {"play": {"policy": "latest"}}, "children": {"queue": "list"}},
               "list": {"actions": {"clear": {}}},
               "daemon": {}},
             "x-scenes": [{"name": "home", "instance": "player"}, "help"]}
            """#
        )
        #expect((contract.title, contract.version, contract.hash) == ("podcastd", "1.2", "ab"))
        #expect(contract.isComplete)
        #expect(contract.types.map(\.name) == ["player", "list", "daemon"])
        let player = try #require(contract.type("player"))
        #expect(player.inputs.map(\.name) == ["title", "seek"])
        #expect(player.inputs.map(\.isField) == [true, false])
        #expect(player.outputs.map(\.name) == ["title", "play.enabled", "play.executing", "play.progress"])
        #expect(player.outputs.map(\.action) == [nil, "play", "play", "play"])
        #expect(player.instance == "player" && !player.isBuiltIn)
        let list = try #require(contract.type("list"))
        #expect(list.instance == nil && list.childPaths == ["player.queue"])
        #expect(contract.type("daemon")?.isBuiltIn == true)
        #expect(contract.scenes.map(\.name) == ["home", "help"])
        #expect(contract.scenes.map(\.instance) == ["player", nil])
    }

    @Test func `reads enums with descriptions, nullable values and references`() throws {
        let contract = try contract(
            ##"""
            {"components": {"schemas": {"Mode": {"oneOf": [{"const": "on", "description": "It is on."}, {"const": "off"}]}}},
             "x-viewModels": {"lamp": {"outputs": {
               "mode": {"schema": {"$ref": "#/components/schemas/Mode"}},
               "level": {"schema": {"anyOf": [{"type": "integer", "format": "int64"}, {"type": "null"}]}},
               "rest": {"schema": {"not": {}}}}}}}
            """##
        )
        let outputs = try #require(contract.type("lamp")).outputs
        let cases = try #require(contract.components.resolved(outputs[0].schema).choices)
        #expect(cases.map(\.value) == [.string("on"), .string("off")])
        #expect(cases.map(\.description) == ["It is on.", ""])
        #expect(outputs[1].schema.unwrapped?.format == "int64")
        #expect(outputs[0].schema.unwrapped == nil)
        #expect(outputs[2].schema.unread?.message == "the keyword not")
        #expect(!contract.isComplete && contract.hash.count == 64)
    }

    @Test func `reads the notes of an enum, and leaves the options of calls out of params`() throws {
        let contract = try contract(
            ##"""
            {"x-viewModels": {"lamp": {
               "inputs": {"level": {"field": true, "schema": {"type": "integer", "enum": [1, 2],
                 "oneOf": [{"const": 1, "title": "low"}, {"const": 2, "title": "high", "description": "All."}]}}},
               "actions": {"blink": {"params": {"type": "object", "properties": {"_meta": {"type": "object"}},
                                                "additionalProperties": false}},
                           "fade": {"params": {"type": "object", "properties": {"to": {}, "_meta": {"type": "object"}}}}}}},
             "x-scenes": [{"scene": "home", "instance": null}]}
            """##
        )
        let lamp = try #require(contract.type("lamp"))
        let cases = try #require(lamp.inputs[0].schema?.choices)
        #expect(cases.map(\.value) == [.integer(1), .integer(2)])
        #expect(cases.map(\.description) == ["", "All."])
        #expect(lamp.inputs[0].isField)
        #expect(lamp.actions[0].parameters == nil, "no params")
        #expect(lamp.actions[1].parameters?.members?.map(\.name) == ["to"])
        #expect(contract.scenes.map(\.name) == ["home"] && contract.scenes[0].instance == nil)
    }

    private func schema(_ text: String) throws -> ContractSchema {
        let components = ##"""
            "Base": {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"], "title": "A base"},
            "Knot": {"allOf": [{"$ref": "#/components/schemas/Knot"}, {"properties": {}}]}
            """##
        let contract = try Contract(
            types: #"{"a": {"outputs": {"o": {"schema": \#(text)}}}}"#,
            schemas: "{\(components)}"
        )
        return try #require(contract.type("a")?.output("o")?.schema)
    }

    @Test func `merges the objects of allOf`() throws {
        let merged = try schema(
            ##"""
            {"allOf": [{"$ref": "#/components/schemas/Base"},
                       {"properties": {"text": {"type": "string"}}, "required": ["text"]},
                       {"allOf": [{"required": ["id"]}, {"properties": {"text": {"type": "string"}, "more": {}}}]}],
             "properties": {"own": {}}, "description": "All.", "minProperties": 2}
            """##
        )
        let properties = try #require(merged.members)
        #expect(properties.map(\.name) == ["id", "text", "more", "own"])
        #expect(properties.map(\.isRequired) == [true, true, false, false])
        #expect(merged.others == nil && merged.unread == nil && merged.node["allOf"] == nil)
        #expect(merged.description == "All." && merged.memberCount == 2...Int.max)
    }

    @Test(arguments: [
        (#"{"allOf": [{"type": "string"}, {"minLength": 2}]}"#, "allOf of schemas that are not objects"),
        (#"{"allOf": [{"description": "a"}, {"description": "b"}]}"#, "allOf of schemas that are not objects"),
        (
            #"{"allOf": [{"properties": {"b": {"type": "string"}}}, {"properties": {"b": {"type": "null"}}}]}"#,
            "allOf with two different schemas of b"
        ),
        (
            #"{"allOf": [{"properties": {"b": {}}, "additionalProperties": false}, {"properties": {}}]}"#,
            "allOf with the keyword additionalProperties"
        ),
        (#"{"allOf": [{"properties": {}}], "anyOf": [{}]}"#, "allOf beside anyOf"),
        (##"{"allOf": [{"$ref": "#/components/schemas/Knot"}, {}]}"##, "allOf that contains itself"),
        (##"{"allOf": [{"$ref": "#/components/schemas/No"}, {}]}"##, "allOf with a reference to no component"),
        (
            ##"{"allOf": [{"$ref": "#/components/schemas/Base", "minProperties": 2}, {}]}"##,
            "allOf with minProperties beside $ref"
        ),
    ])
    func `does not read an allOf that says more than members`(text: String, message: String) throws {
        #expect(try schema(text).unread?.message == message)
    }

    @Test func `has required members beside additionalProperties`() throws {
        let map = try schema(
            #"{"type": "object", "required": ["a", "b"], "properties": {"b": {}}, "additionalProperties": {"type": "integer"}}"#
        )
        let (properties, others) = try (#require(map.members), #require(map.others))
        #expect(properties.map(\.name) == ["b", "a"] && properties.allSatisfy(\.isRequired))
        guard case .integer = others.rule, case .integer = properties[1].schema.rule else {
            Issue.record("expected integers")
            return
        }
    }

    @Test(
        arguments: [
            (
                #"{"type": "string", "minLength": 2, "maxLength": 3}"#, ["\"e\u{301}\"", #""abc""#],
                ["\"\u{E9}\"", "\"\u{1D11E}\"", #""abcd""#, "22"]
            ),
            (#"{"type": "string", "pattern": "^[a-c]+$"}"#, [#""ac""#], [#""ad""#]),
            (#"{"type": "integer", "minimum": 1, "maximum": 9}"#, ["1", "9", "9.0"], ["0", "10", "1.5"]),
            (#"{"type": "number", "minimum": 0.5, "maximum": 1.5}"#, ["0.5", "1.5"], ["0.4", "1.6"]),
            (#"{"type": "array", "minItems": 1, "maxItems": 2}"#, ["[1]", "[1, 1]"], ["[]", "[1, 2, 3]", "{}"]),
            (#"{"type": "array", "uniqueItems": true}"#, ["[1, 2]"], ["[1, 1]"]),
            (
                #"{"type": "object", "additionalProperties": {}, "minProperties": 1, "maxProperties": 2}"#,
                [#"{"a": 1}"#, #"{"a": 1, "b": 1}"#], ["{}", #"{"a": 1, "b": 1, "c": 1}"#]
            ),
        ] as [(String, [String], [String])]
    )
    func `a schema admits the values up to its bounds`(text: String, admitted: [String], refused: [String]) throws {
        let contract = try Contract(types: #"{"a": {"outputs": {"o": {"schema": \#(text)}}}}"#)
        let schema = try #require(contract.type("a")?.output("o")?.schema)
        for value in try admitted.map({ try #require(JSONValue(text: $0)) }) {
            #expect(throws: Never.self) { try schema.check(value, contract.components) }
        }
        for value in try refused.map({ try #require(JSONValue(text: $0)) }) {
            #expect(throws: ValueMismatch.self, "\(value)") { try schema.check(value, contract.components) }
        }
    }

    private func arguments(_ text: String) throws -> ContractSchema? {
        let contract = try Contract(
            types: #"{"a": {"arguments": \#(text)}}"#,
            schemas: #"""
                {"Any": {}, "Place": {"type": "object", "properties": {"name": {"type": "string"}}},
                 "Maybe": {"anyOf": [\#(reference("Place")), {"type": "null"}]}}
                """#
        )
        return try #require(contract.type("a")).arguments
    }

    @Test(arguments: ["{}", "true", #"{"type": "object"}"#, ##"{"$ref": "#/components/schemas/Any"}"##])
    func `arguments of any value are any object`(text: String) throws {
        let schema = try #require(try arguments(text))
        #expect(schema.members?.isEmpty == true)
        guard case .any? = schema.others?.rule else {
            Issue.record("expected any members")
            return
        }
    }

    @Test(arguments: [
        ##"{"$ref": "#/components/schemas/Maybe"}"##,
        ##"{"anyOf": [{"type": "null"}, {"$ref": "#/components/schemas/Place"}]}"##,
    ])
    func `arguments are an object without null`(text: String) throws {
        #expect(try arguments(text)?.references == ["Place"])
    }

    @Test func `a daemon's arguments that are no object are ignored`() throws {
        let document = try #require(JSONValue(text: #"{"x-viewModels": {"a": {"arguments": {"type": "string"}}}}"#))
        let type = try #require(Contract(ofDaemon: document).type("a"))
        #expect(type.arguments == nil)
    }

    @Test func `has one type for a component and for params that describe it again`() throws {
        let contract = try contract(
            ##"""
            {"components": {"schemas": {"Place": {"type": "object", "properties": {"name": {"type": "string"}}}}},
             "x-viewModels": {"map": {"inputs": {"show": {"schema": {"type": "object", "properties": {
               "places": {"type": "array", "items": {"type": "object", "title": "Place",
                 "properties": {"name": {"type": "string", "maxLength": 9}}, "additionalProperties": false}},
               "other": {"type": "object", "title": "Place", "properties": {"x": {}}}}}}}}}}
            """##
        )
        let schema = try #require(contract.withNamedParameters.type("map")?.inputs.first?.schema)
        #expect(schema.references == ["Place"])
        #expect(contract.type("map")?.inputs.first?.schema?.references == [])
    }

    @Test(arguments: [
        ("{}", "", "expected the member x-viewModels, a map of ViewModel types"),
        (
            #"{"x-viewModels": {"a": {"inputs": {"x": {}}, "actions": {"x": {}}}}}"#, "/x-viewModels/a/inputs/x",
            "x is also an action"
        ),
        (
            #"{"x-viewModels": {"a": {"outptus": {}}}}"#, "/x-viewModels/a/outptus",
            "there is no member outptus; did you mean outputs?"
        ),
        (#"{"x-viewModels": {"a": {"children": {"b": "a"}}}}"#, "/x-viewModels/a/children/b", "a contains itself"),
        (
            ##"{"x-viewModels": {"a": {"outputs": {"b": {"schema": {"$ref": "#/components/schemas/C"}}}}}}"##,
            "/x-viewModels/a/outputs/b/schema", "components.schemas has no C"
        ),
        (
            ##"{"components": {"schemas": {"A": {"anyOf": [{"$ref": "#/components/schemas/A"}, {"type": "null"}]}}}, "##
                + #""x-viewModels": {}}"#, "/components/schemas/A", "the schema refers to itself only"
        ),
        (
            #"{"components": {"schemas": {"\u00e9": {}, "e\u0301": {}}}, "x-viewModels": {}}"#,
            "/components/schemas/\u{e9}", "the name \u{e9} differs from another one in its Unicode form only"
        ),
        (
            #"{"x-viewModels": {"\u00e9": {}, "e\u0301": {}}}"#, "/x-viewModels/\u{e9}",
            "the name \u{e9} differs from another one in its Unicode form only"
        ),
        (
            #"{"info": {"x-contract": "ab\n1"}, "x-viewModels": {}}"#, "/info/x-contract",
            "expected a hash in lower-case hexadecimal digits"
        ),
        (
            #"{"x-viewModels": {"a": {"arguments": {"type": "string"}}}}"#, "/x-viewModels/a/arguments",
            "expected the schema of an object, because arguments have names"
        ),
        (
            #"{"x-viewModels": {"a": {"arguments": {"anyOf": [{"type": "object"}, {"type": "array"}]}}}}"#,
            "/x-viewModels/a/arguments", "expected the schema of an object, because arguments have names"
        ),
    ])
    func `an error has its place`(text: String, pointer: String, message: String) {
        #expect(throws: ContractFault(line: 1, pointer: pointer, message: message)) { _ = try self.contract(text) }
    }
}

extension ContractSchema {
    /// The values of an enum.
    fileprivate var choices: [Choice]? { if case .choice(let choices) = rule { choices } else { nil } }

    /// The properties of an object.
    fileprivate var members: [Property]? { if case .object(let properties, _) = rule { properties } else { nil } }

    /// The schema of an object's further members.
    fileprivate var others: ContractSchema? { if case .object(_, let others) = rule { others } else { nil } }
}

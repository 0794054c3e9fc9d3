import JSONRPC
import Testing
import ViewModelContract

@Suite("The contract of a running daemon") struct DaemonContractTests {
    private func contract(_ text: String) throws -> Contract {
        Contract(ofDaemon: try #require(JSONValue(text: text)))
    }

    @Test func `is read although parts of it are unknown`() throws {
        let contract = try contract(
            #"""
            {"info": {"x-contract": "sha3:5"}, "methods": [{"name": "rpc.discover", "summary": "Discovers."}, {}],
             "components": {"schemas": {
               "Odd": {"type": "tuple"}, "Loop": {"$ref": "#/components/schemas/Loop"},
               "Left": {"anyOf": [{"$ref": "#/components/schemas/Right"}]},
               "Right": {"$ref": "#/components/schemas/Left"}}},
             "x-scenes": [7, "home"],
             "x-viewModels": {
               "session": 5,
               "Deck": {"input": {}, "children": {"self": "Deck", "gone": "ghost"},
                 "inputs": {"Speed": {"schema": {"type": "speed"}}, "play": {"shema": {}}},
                 "outputs": {"flow": {"kind": "stream", "schema": {"$ref": "#/components/schemas/Missing"}},
                             "bare": {}, "rows": {"kind": "list", "schema": {"type": "string"}}},
                 "actions": {"play": {"policy": "sometimes", "errors": [{"details": {"type": "string"}}]}}}}}
            """#
        )
        #expect(!contract.isComplete && contract.hash.count == 64)
        #expect(contract.methods.map(\.name) == ["rpc.discover"])
        #expect(contract.scenes.map(\.name) == ["home"])
        #expect(contract.types.map(\.name) == ["session", "Deck"])
        let deck = try #require(contract.type("Deck"))
        #expect(deck.inputs.map(\.name) == ["Speed", "play"])
        guard case .any? = deck.input("Speed")?.schema?.rule else { throw Unexpected() }
        #expect(deck.input("Speed")?.schema?.node["type"]?.text == "speed")
        #expect(deck.outputs.prefix(3).map(\.name) == ["flow", "bare", "rows"])
        #expect(deck.outputs.map(\.kind).prefix(3) == [.state, .state, .list])
        #expect(deck.action("play")?.policy == .exclusive && deck.action("play")?.failures.count == 1)
        for name in ["Odd", "Loop", "Left", "Right"] {
            let component = try #require(contract.components[name])
            guard case .any = contract.components.resolved(component).rule else { throw Unexpected() }
        }
    }

    @Test(arguments: ["null", "[]", #"{"x-viewModels":[]}"#, #"{"components":7}"#])
    func `is empty for another document`(text: String) throws {
        #expect(try contract(text).types.isEmpty)
    }

    @Test func `tells the types of instances`() throws {
        let contract = try contract(
            #"""
            {"x-viewModels": {"a": {"children": {"b": "bee"}}, "bee": {"children": {"c": "sea"}}, "sea": {},
                              "login": {"children": {"form": "login"}}}}
            """#
        )
        #expect(contract.type(ofInstance: "a")?.name == "a")
        #expect(contract.type(ofInstance: "a.b.c")?.name == "sea")
        #expect(contract.type(ofInstance: "a.c") == nil && contract.type(ofInstance: "other") == nil)
        #expect(contract.type("sea")?.instances == ["a.b.c"])
        #expect(contract.type("a")?.instances == ["a"])
        #expect(contract.types(of: "desk.b", opened: ["desk": ["a"]]).map(\.name) == ["bee"])
        #expect(contract.types(of: "desk").count == 4, "nothing tells its type")
        #expect(contract.type(ofInstance: "login.form.form")?.name == "login")
    }

    private struct Unexpected: Error {}
}

@Suite("Secrets of a contract") struct SecretShapeTests {
    /// Hides the secrets of a value at a path in the output `o`.
    private func hidden(_ value: String, at path: [String] = [], _ output: String) throws -> JSONValue {
        let contract = Contract(
            ofDaemon: try #require(
                JSONValue(
                    text: #"""
                        {"components": {"schemas": {
                           "Node": {"properties": {"pin": {"format": "password"}, "next": \#(reference("Node"))}},
                           "Circle": {"$ref": "#/components/schemas/Circle", "format": "password"}}},
                         "x-viewModels": {"a": {"outputs": {"o": \#(output)}}}}
                        """#
                )
            )
        )
        let schema = try #require(contract.type("a")?.output("o")?.schema)
        let shape = SecretShape(anyOf: [schema], in: contract.components)
        let part = try #require(JSONValue(text: value))
        if path.isEmpty { return shape.hidingSecrets(in: part) }
        return shape.hidingSecrets(in: part, at: path)
    }

    private static let password = #"{"type": "string", "format": "password"}"#

    @Test(arguments: [
        (#""x""#, password, #""•••""#), ("null", password, "null"), ("7", password, #""•••""#),
        (#"[{"a": "x"}, true]"#, password, #"[{"a": "•••"}, true]"#),
        (#""x""#, #"{"anyOf": [\#(password), {"type": "null"}]}"#, #""•••""#),
        (#""x""#, #"{"oneOf": [\#(password)]}"#, #""•••""#),
        (
            #"{"a": "x", "b": 1}"#, #"{"allOf": [{"properties": {"a": \#(password)}}, {"properties": {"b": {}}}]}"#,
            #"{"a": "•••", "b": 1}"#
        ),
        (#"["x", "y"]"#, #"{"prefixItems": [\#(password), {}]}"#, #"["•••", "•••"]"#),
        (#"{"a": "x", "mistyped": "y"}"#, #"{"properties": {"a": \#(password)}}"#, #"{"a": "•••", "mistyped": "•••"}"#),
        (
            #"{"a": "x", "b": "y"}"#, #"{"properties": {"a": {}}, "additionalProperties": \#(password)}"#,
            #"{"a": "x", "b": "•••"}"#
        ),
        (#""x""#, #"{"type": "unknown", "format": "password"}"#, #""•••""#),
        (#"{"a": "x"}"#, #"{"type": "unknown", "properties": {"a": \#(password)}}"#, #"{"a": "•••"}"#),
        (
            #"{"count": 9, "offset": 0, "rows": [{"c": "x"}]}"#, #"{"items": {"properties": {"c": \#(password)}}}"#,
            #"{"count": 9, "offset": 0, "rows": [{"c": "•••"}]}"#
        ),
        (
            #"{"pin": "x", "next": {"pin": "x"}}"#, ##"{"$ref": "#/components/schemas/Node"}"##,
            #"{"pin": "•••", "next": {"pin": "•••"}}"#
        ),
        (#""x""#, ##"{"$ref": "#/components/schemas/Circle"}"##, #""•••""#),
        (#"{"a": "x"}"#, #"{"properties": {"a": {}}}"#, #"{"a": "x"}"#), (#""x""#, "true", #""x""#),
    ])
    func `are hidden where any reading of the schema has them`(value: String, schema: String, expected: String) throws {
        #expect(try hidden(value, #"{"schema": \#(schema)}"#) == JSONValue(text: expected))
    }

    @Test(arguments: [
        (["0"], #"{"id": 1, "code": "x"}"#, #"{"id": 1, "code": "•••"}"#),
        (["rows", "-"], #"{"code": "x"}"#, #"{"code": "•••"}"#),
        (["3", "code"], #""x""#, #""•••""#), (["3", "id"], "7", "7"), (["count"], "7", "7"),
        (["3", "mistyped"], #""x""#, #""•••""#),
    ])
    func `are hidden in the value of a patch`(path: [String], value: String, expected: String) throws {
        let rows = #"{"items": {"properties": {"id": {}, "code": {"format": "password"}}}}"#
        let keys = #"{"kind": "list", "schema": \#(rows)}"#
        #expect(try hidden(value, at: path, keys) == JSONValue(text: expected))
        #expect(try hidden(value, at: path, #"{"schema": {}}"#) == JSONValue(text: value))
    }
}

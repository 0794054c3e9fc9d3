import ClientGenerators
import JSONRPC
import Testing
import ViewModelContract
import ViewModelYAML

/// Contracts whose parts repeat each other: what is written once is handled once.
///
/// Each of them takes a practically endless time where a component is handled at each place at which it stands.
@Suite struct LargeContractTests {
    /// The number of levels, of which each contains the next one twice.
    private static let depth = 40

    private static let forms = [
        #"{"anyOf": [NEXT, NEXT]}"#, #"{"allOf": [NEXT, NEXT]}"#,
        #"{"anyOf": [NEXT, {"type": "array", "items": NEXT}]}"#,
        #"{"type": "object", "properties": {"a": NEXT, "b": NEXT}}"#,
        #"{"required": ["a", "b"], "properties": {"a": NEXT, "b": {"anyOf": [NEXT, {"type": "null"}]}}}"#,
        #"{"type": "array", "items": {"anyOf": [NEXT, NEXT, {"type": "string"}]}}"#,
        #"{"type": "object", "additionalProperties": {"type": "object", "properties": {"a": NEXT, "b": NEXT}}}"#,
    ]

    private func contract(_ form: String, last: String) throws -> Contract {
        let levels = (0..<Self.depth).map { level in
            "\"L\(level)\": " + form.replacing("NEXT", with: reference("L\(level + 1)"))
        }
        let top = #"{"schema": \#(reference("L0"))}"#
        let params = #"{"properties": {"d": \#(reference("L0"))}}"#
        return try Contract(
            types: #"""
                {"lamp": {"inputs": {"a": \#(top)}, "outputs": {"a": \#(top), "b": \#(top)},
                  "actions": {"c": {"params": \#(params)}}}}
                """#,
            schemas: "{\((levels + ["\"L\(Self.depth)\": \(last)"]).joined(separator: ", "))}"
        )
    }

    @Test(arguments: forms)
    func `a component that stands at many places is read, compared and generated once`(form: String) throws {
        let old = try contract(form, last: #"{"type": "object", "properties": {"x": {"type": "string"}}}"#)
        let new = try contract(form, last: #"{"type": "object", "properties": {"x": {"type": "integer"}}}"#)
        #expect(ContractDifference(from: old, to: new).severity == .breaking)
        for contract in [old, try contract(form, last: #"{"type": "string"}"#)] {
            for generator in ClientGenerator.all {
                let text = generator.files(contract).map(\.text).joined()
                #expect(text.utf8.count < 2_000_000, "\(generator.language)")
            }
        }
        for output in old.types[0].outputs { #expect(!old.components.hasSecrets(output.schema)) }
    }

    @Test func `secrets are hidden at the depth of a value, however many alternatives a level has`() throws {
        let node = reference("Node")
        let contract = try Contract(
            types: #"{"lamp": {"outputs": {"o": {"kind": "state", "schema": \#(node)}}}}"#,
            schemas: #"""
                {"Node": {"anyOf": [
                  {"type": "object", "properties": {"n": \#(node)}}, {"type": "object", "properties": {"n": \#(node)}},
                  {"type": "array", "items": \#(node)}, {"type": "array", "items": \#(node)},
                  {"type": "object", "properties": {"pin": {"type": "string", "format": "password"}}}]}}
                """#
        )
        let shape = SecretShape(anyOf: [contract.types[0].outputs[0].schema], in: contract.components)
        func nested(_ pin: String) -> JSONValue {
            (0..<60).reduce(JSONValue.object(["pin": .string(pin)])) { value, level in
                level % 2 == 0 ? .object(["n": value]) : .array([value])
            }
        }
        #expect(shape.hidingSecrets(in: nested("4711")) == nested(SecretShape.dots))
    }

    @Test func `aliases of YAML count as often as they stand`() {
        let laughs = (1...40).map { "a\($0): &a\($0) [*a\($0 - 1), *a\($0 - 1)]" }
        let text = (["a0: &a0 [x]"] + laughs).joined(separator: "\n")
        let fault = #expect(throws: ContractFault.self) { try ContractNode(parsing: text) }
        #expect(fault?.message.hasPrefix("the contract has more than 1000000 values, the limit") == true)
    }

    @Test func `aliases of YAML do not nest without end`() {
        let levels = (1...500).map { "a\($0): &a\($0) [*a\($0 - 1)]" }
        let text = (["a0: &a0 [x]"] + levels).joined(separator: "\n")
        let fault = #expect(throws: ContractFault.self) { try ContractNode(parsing: text) }
        #expect(fault?.message == "the contract is nested deeper than 128 levels, the limit")
    }

    @Test func `children that double at each level are refused`() {
        let types = (0..<24).map { #""t\#($0)": {"children": {"a": "t\#($0 + 1)", "b": "t\#($0 + 1)"}}"# }
        let text = #"{"x-viewModels": {\#((types + [#""t24": {}"#]).joined(separator: ", "))}}"#
        let fault = #expect(throws: ContractFault.self) { try Contract(ContractNode(json: text)) }
        #expect(
            fault?.message
                == "t0 has too many children; the limit is 10000 children, and 64 of which each contains the next"
        )
    }

    @Test func `allOf that repeats itself inside of its own members ends`() throws {
        let knot = ##"{"properties": {"a": {"allOf": [{"$ref": "#/components/schemas/Knot"}, {"properties": {}}]}}}"##
        let text = #"{"components": {"schemas": {"Knot": \#(knot)}}, "x-viewModels": {"lamp": {}}}"#
        let fault = #expect(throws: ContractFault.self) { try Contract(ContractNode(json: text)) }
        #expect(fault?.message == "allOf repeats schemas deeper than 160 levels")
    }

    @Test func `a thousand types, components and members are handled in one pass`() throws {
        let count = 1000
        func object(_ entries: [String]) -> String { "{\(entries.joined(separator: ", "))}" }
        let types = (0..<count).map { #""t\#($0)": {"actions": {"a": {"errors": [{"error": "e\#($0)"}]}}}"# }
        let schemas = (0..<count).map { index in
            let next = ##"{"$ref": "#/components/schemas/C\##((index + 1) % count)"}"##
            return #""C\#(index)": {"type": "object", "properties": {"next": \#(next)}}"#
        }
        let text = #"{"components": {"schemas": \#(object(schemas))}, "x-viewModels": \#(object(types))}"#
        let contract = try Contract(ContractNode(json: text))
        #expect(contract.types.count == count && contract.type("t999")?.name == "t999")
        #expect(ContractDifference(from: contract, to: contract).changes == [])
    }
}

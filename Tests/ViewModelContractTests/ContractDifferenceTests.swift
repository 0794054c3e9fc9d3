import JSONRPC
import Testing
import ViewModelContract

@Suite("The difference of two contracts") struct ContractDifferenceTests {
    typealias Severity = ContractDifference.Severity

    private func changes(_ old: String, _ new: String) throws -> [ContractDifference.Change] {
        let contracts = try [old, new].map { text in
            try Contract(ContractNode(json: #"{"x-viewModels": {"lamp": \#(text)}}"#))
        }
        return ContractDifference(from: contracts[0], to: contracts[1]).changes
    }

    /// Returns the severities of the changes of a value that the client sends, and of one that it receives.
    private func severities(_ old: String, _ new: String) throws -> (sent: [Severity], received: [Severity]) {
        func input(_ schema: String) -> String { #"{"inputs": {"set": {"schema": \#(schema)}}}"# }
        func output(_ schema: String) -> String { #"{"outputs": {"level": {"schema": \#(schema)}}}"# }
        return (
            try changes(input(old), input(new)).map(\.severity), try changes(output(old), output(new)).map(\.severity)
        )
    }

    static let string = #"{"type": "string"}"#
    static let integer = #"{"type": "integer"}"#
    static let number = #"{"type": "number"}"#
    static let cases = #"{"enum": ["a", "b"]}"#
    static let moreCases = #"{"enum": ["a", "b", "c"]}"#
    static let optional = #"{"anyOf": [{"type": "string"}, {"type": "null"}]}"#
    static let date = #"{"type": "string", "format": "date-time"}"#
    static let bounded = #"{"type": "integer", "minimum": 0, "maximum": 10}"#
    static let required = #"{"type": "object", "properties": {"a": {}}, "required": ["a"]}"#
    static let free = #"{"type": "object", "properties": {"a": {}}}"#
    static let empty = #"{"type": "object", "properties": {}}"#

    @Test(arguments: [
        (string, integer, Severity.breaking, Severity.breaking),
        (integer, number, .source, .breaking), (number, integer, .breaking, .source),
        (cases, moreCases, .additive, .source), (moreCases, cases, .breaking, .source),
        (string, cases, .breaking, .source), (cases, string, .source, .source),
        (string, optional, .additive, .breaking), (optional, string, .breaking, .source),
        (string, date, .breaking, .source), (date, string, .source, .breaking),
        (string, "{}", .source, .breaking), ("{}", string, .breaking, .source),
        (required, free, .additive, .breaking), (free, required, .breaking, .source),
        (empty, free, .additive, .additive), (empty, required, .breaking, .additive),
        (required, empty, .breaking, .breaking),
    ])
    func `the direction of a value decides`(old: String, new: String, sent: Severity, received: Severity) throws {
        // An input whose value is an empty object has no value.
        let found = try severities(old, new)
        #expect(found.sent.max() == sent)
        #expect(found.received.max() == received)
        #expect(found.sent.count == 1 && found.received.count == 1)
    }

    @Test func `narrower bounds break those who send the value`() throws {
        let narrower = try severities(Self.integer, Self.bounded)
        #expect(narrower.sent == [.breaking, .breaking] && narrower.received == [.additive, .additive])
        let wider = try severities(Self.bounded, Self.integer)
        #expect(wider.sent == [.additive, .additive] && wider.received == [.additive, .additive])
    }

    @Test(arguments: [
        (#"{"actions": {"a": {"policy": "queued"}}}"#, #"{"actions": {"a": {"policy": "shared"}}}"#, Severity.additive),
        (#"{"actions": {"a": {"policy": "queued"}}}"#, #"{"actions": {"a": {}}}"#, .breaking),
        (#"{"actions": {"a": {}}}"#, #"{"actions": {"a": {"policy": "latest"}}}"#, .breaking),
        (#"{"actions": {"a": {}}}"#, "{}", .breaking), ("{}", #"{"actions": {"a": {}}}"#, .additive),
        (#"{"actions": {"a": {}}}"#, #"{"actions": {"a": {"result": {"type": "string"}}}}"#, .source),
        (#"{"actions": {"a": {"result": {"type": "string"}}}}"#, #"{"actions": {"a": {}}}"#, .breaking),
        (#"{"actions": {"a": {}}}"#, #"{"actions": {"a": {"errors": [{"error": "x"}]}}}"#, .additive),
        (#"{"actions": {"a": {"errors": [{"error": "x"}]}}}"#, #"{"actions": {"a": {}}}"#, .source),
        (#"{"inputs": {"a": {"field": true}}}"#, #"{"inputs": {"a": {}}}"#, .source),
        (#"{"outputs": {"a": {"schema": {}}}}"#, #"{"outputs": {"a": {"schema": {}, "kind": "event"}}}"#, .breaking),
        (#"{"outputs": {"a": {"schema": {}}}}"#, #"{"outputs": {"a": {"schema": {}, "volatile": true}}}"#, .additive),
        (#"{"instance": "lamp"}"#, #"{"instance": null, "child": ["x.lamp"]}"#, .breaking),
    ])
    func `a change of a member has its severity`(old: String, new: String, severity: Severity) throws {
        #expect(try changes(old, new).map(\.severity) == [severity])
    }

    @Test func `descriptions and the order of members are no change`() throws {
        let old = #"{"description": "a", "outputs": {"a": {"schema": {}}, "b": {"schema": {"description": "x"}}}}"#
        let new = #"{"description": "b", "outputs": {"b": {"schema": {}}, "a": {"schema": {}}}}"#
        #expect(try changes(old, new) == [])
    }

    @Test func `a component that contains itself is compared once, and a new name is a change of the source`() throws {
        func contract(_ name: String, _ type: String) throws -> Contract {
            let reference = ##"{"$ref": "#/components/schemas/\##(name)"}"##
            let node = #"{"type": "object", "properties": {"next": \#(reference), "value": {"type": "\#(type)"}}}"#
            return try Contract(
                ContractNode(
                    json: #"""
                        {"components": {"schemas": {"\#(name)": \#(node)}},
                         "x-viewModels": {"lamp": {"outputs": {"a": {"schema": \#(reference)}}}}}
                        """#
                )
            )
        }
        let changed = ContractDifference(from: try contract("Node", "string"), to: try contract("Node", "integer"))
        #expect(changed.changes.map(\.place) == ["lamp.outputs.a.value"])
        #expect(changed.severity == .breaking)
        let renamed = ContractDifference(from: try contract("Node", "string"), to: try contract("Link", "string"))
        #expect(renamed.severity == .source)
        #expect(renamed.changes.first?.text == "has the type Link, not Node")
    }
}

import ClientGenerators
import Foundation
import JSONRPC
import Testing
import ViewModelContract

@Suite("The difference of two contracts") struct ContractDifferenceTests {
    typealias Severity = ContractDifference.Severity

    private func changes(_ old: String, _ new: String) throws -> [ContractDifference.Change] {
        let contracts = try [old, new].map { try Contract(types: #"{"lamp": \#($0)}"#) }
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

    /// Returns the rows of a table in `Tests/ContractDifferences.md`, as cells without backticks.
    private func rows(of section: String) throws -> [[String]] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../ContractDifferences.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let start = try #require(text.firstRange(of: "## \(section)\n")).upperBound
        let lines = text[start...].split(separator: "\n").prefix { !$0.hasPrefix("#") }.filter { $0.hasPrefix("|") }
        return lines.dropFirst(2).map { line in
            line.dropFirst(2).dropLast(2).split(separator: " | ").map { String($0.filter { $0 != "`" }) }
        }
    }

    @Test func `of values has the severities of the table`() throws {
        let rows = try rows(of: "Values")
        #expect(rows.count > 20)
        for row in rows {
            let found = try severities(row[1], row[2])
            #expect(found.sent.max()?.rawValue ?? "none" == row[3], "sent: \(row)")
            #expect(found.received.max()?.rawValue ?? "none" == row[4], "received: \(row)")
        }
    }

    @Test func `of members has the severities of the table`() throws {
        let rows = try rows(of: "Members")
        #expect(rows.count > 10)
        for row in rows { #expect(try changes(row[1], row[2]).map(\.severity.rawValue) == [row[3]], "\(row)") }
    }

    @Test(arguments: [
        (#""string", "format": "password""#, #""string", "format": "uuid""#, "breaking", "source"),
        (#""string", "format": "uuid""#, #""string", "format": "password""#, "source", "breaking"),
        (#""string", "format": "password""#, #""string""#, "additive", "additive"),
        (#""integer", "format": "int64""#, #""integer", "format": "uint64""#, "breaking", "breaking"),
        (#""integer", "format": "uint64""#, #""integer", "format": "int64""#, "breaking", "breaking"),
        (#""integer", "format": "int64""#, #""integer", "maximum": 9"#, "breaking", "additive"),
    ])
    func `a format counts only if it restricts the values`(
        _ old: String,
        _ new: String,
        _ sent: String,
        _ received: String
    ) throws {
        let found = try severities(#"{"type": \#(old)}"#, #"{"type": \#(new)}"#)
        #expect(found.sent.max()?.rawValue == sent)
        #expect(found.received.max()?.rawValue == received)
    }

    @Test(arguments: [
        (#"{"name": "home", "instance": "lamp"}"#, #"{"name": "home"}"#, "shows no instance, not lamp"),
        (#"{"name": "home", "instance": null}"#, #"{"name": "home", "instance": "lamp"}"#, "shows lamp, not none"),
        (#"{"name": "home", "instance": "lamp"}"#, #""home""#, "shows no instance, not lamp"),
        (#"{"name": "home", "instance": null}"#, "", "was removed"),
    ])
    func `another instance of a scene breaks clients`(_ old: String, _ new: String, _ text: String) throws {
        let contracts = try [old, new].map { try Contract(types: #"{"lamp": {}}"#, scenes: "[\($0)]") }
        let changes = ContractDifference(from: contracts[0], to: contracts[1]).changes
        #expect(changes.map(\.text) == [text])
        #expect(changes.map(\.severity) == [.breaking])
    }

    @Test func `a component that becomes one of several types is still allowed`() throws {
        func contract(_ schema: String) throws -> Contract {
            let members = #""inputs": {"i": {"schema": \#(schema)}}, "outputs": {"o": {"schema": \#(schema)}}"#
            let schemas = #"{"A": {"properties": {"b": {"type": "string"}}}}"#
            return try Contract(types: #"{"lamp": {\#(members)}}"#, schemas: schemas)
        }
        let later = try contract(#"{"anyOf": [\#(reference("A")), {"type": "integer"}]}"#)
        let changes = ContractDifference(from: try contract(reference("A")), to: later).changes
        let severities = Dictionary(grouping: changes, by: \.place).mapValues { $0.map(\.severity).max() }
        #expect(severities == ["lamp.inputs.i": .breaking, "lamp.outputs.o": .breaking])
    }

    @Test(arguments: [
        (#"{"properties": {}}"#, #"{}"#),
        (#"{"properties": {}}"#, #"{"anyOf": [{"properties": {}}, {"type": "integer"}]}"#),
        (#"{"anyOf": [{"properties": {}}, {"type": "null"}]}"#, #"{"properties": {}}"#),
    ])
    func `params are the members of an object or one value, and a change between them breaks calls`(
        _ old: String,
        _ new: String
    ) throws {
        for (old, new) in [(old, new), (new, old)] {
            #expect(try severities(old, new).sent == [.breaking], "\(old) to \(new)")
        }
    }

    @Test func `a text in another form is another text`() throws {
        func pattern(_ text: String) -> String { #"{"type": "string", "pattern": "\#(text)"}"# }
        #expect(try severities(pattern("\u{E9}"), pattern("e\u{301}")).sent == [.breaking])
        func member(_ required: String) -> String {
            #"{"properties": {"\#u{E9}": {}, "e\#u{301}": {}}, "required": ["\#(required)"]}"#
        }
        #expect(try severities(member("\u{E9}"), member("e\u{301}")).sent == [.additive, .breaking])
        func failure(_ error: String) -> String { #"{"actions": {"a": {"errors": [{"error": "\#(error)"}]}}}"# }
        #expect(try changes(failure("\u{E9}"), failure("e\u{301}")).map(\.severity) == [.source, .additive])
    }

    @Test func `descriptions and the order of members are no change`() throws {
        let old = #"{"description": "a", "outputs": {"a": {"schema": {}}, "b": {"schema": {"description": "x"}}}}"#
        let new = #"{"description": "b", "outputs": {"b": {"schema": {}}, "a": {"schema": {}}}}"#
        #expect(try changes(old, new) == [])
    }

    @Test func `a component behind one of several types is compared`() throws {
        func contract(_ type: String) throws -> Contract {
            let schema = #"{"anyOf": [\#(reference("A")), {"type": "string"}]}"#
            return try Contract(
                types: #"{"lamp": {"outputs": {"a": {"schema": \#(schema)}}}}"#,
                schemas: #"{"A": {"type": "object", "properties": {"x": {"type": "\#(type)"}}}}"#
            )
        }
        let difference = ContractDifference(from: try contract("string"), to: try contract("integer"))
        #expect(difference.changes.map(\.place) == ["lamp.outputs.a.x"])
    }

    /// Former values, present ones, and the severities of the differences.
    @Test(arguments: [
        (#""a": {"keptFor": "user"}"#, #""a": {"keptFor": "user"}, "b": {"keptFor": "user"}"#, ""),
        (#""a": {"keptFor": "user"}"#, #""b": {"keptFor": "user"}"#, "breaking"),
        (#""a": {"keptFor": "user"}"#, #""b": {"keptFor": "user", "formerly": ["c", "a"]}"#, ""),
        (#""a": {"keptFor": "user"}"#, #""a": {"keptFor": "session"}"#, "breaking"),
        (#""a": {"schema": {"type": "integer"}}"#, #""a": {"schema": {"type": "string"}}"#, "breaking"),
        (#""a": {"schema": {"type": "integer"}}"#, #""a": {"schema": {"type": "number"}}"#, "additive"),
        (#""a": {"schema": {"type": "integer"}}"#, #""a": {"schema": {}}"#, "additive"),
    ])
    func `saved values that are read no more are lost names`(_ old: String, _ new: String, _ severity: String) throws {
        func contract(_ values: String, _ more: String = "", name: String = "lamp") throws -> Contract {
            let saved = #"{"\#(name)": {\#(more)"values": {\#(values)}}}"#
            return try Contract(ContractNode(json: #"{"x-viewModels": {}, "x-savedValues": \#(saved)}"#))
        }
        func severities(_ new: Contract) throws -> String {
            ContractDifference(from: try contract(old), to: new).changes.map(\.severity.rawValue).joined(separator: " ")
        }
        #expect(try severities(contract(new)) == severity)
        #expect(try severities(contract(new, name: "torch")) == "breaking")
        #expect(try severities(contract(new, #""formerly": ["lamp"], "#, name: "torch")) == severity)
        #expect(try !severities(contract(new, #""migrations": [["a"]], "#)).contains("breaking"))
        let others = try severities(contract(new, #""migrations": [[], ["b"]], "#))
        #expect(others.contains("breaking") == (severity == "breaking"))
    }

    @Test(
        arguments: [
            (#""title""#, #""x-formerly": {"title": ["label", "text"]}, "#, []),
            ("", #""x-formerly": {"title": ["text"]}, "#, []),
            (
                #""title""#, #""x-formerly": {"title": ["label"]}, "#,
                ["text was removed", "title was added and is required"]
            ),
        ] as [(String, String, [String])]
    )
    func `a saved member with a former name is required unless it has a default value`(
        _ required: String,
        _ former: String,
        _ changes: [String]
    ) throws {
        func contract(_ name: String, _ required: String, _ former: String = "") throws -> Contract {
            let schema = #"{"type": "object", \#(former)"properties": {"\#(name)": {}}, "required": [\#(required)]}"#
            let row = #"{"type": "array", "items": \#(schema.dropLast()), "additionalProperties": false}}"#
            let saved = #"{"lamp": {"values": {"a": {"keptFor": "user", "schema": \#(row)}}}}"#
            return try Contract(ContractNode(json: #"{"x-viewModels": {}, "x-savedValues": \#(saved)}"#))
        }
        let (old, new) = (try contract("text", #""text""#), try contract("title", required, former))
        let difference = ContractDifference(from: old, to: new).changes.filter { $0.severity == .breaking }
        #expect(difference.map { "\($0.place) \($0.text)" } == changes.map { "saved lamp.a[].\($0)" })
        // The next version still reads what the first one has saved.
        let same = ContractDifference(from: new, to: new)
        #expect(same.changes == [])
        let without = ContractDifference(from: new, to: try contract("title", required))
        #expect(without.changes.contains { $0.severity == .breaking })
    }

    @Test func `fewer migrations of saved values are breaking`() throws {
        func contract(_ migrations: String) throws -> Contract {
            let saved = #"{"lamp": {"values": {}, "migrations": [\#(migrations)]}}"#
            return try Contract(ContractNode(json: #"{"x-viewModels": {}, "x-savedValues": \#(saved)}"#))
        }
        let difference = ContractDifference(from: try contract(#"["a"], []"#), to: try contract(#"["a"]"#))
        #expect(difference.changes.map(\.severity) == [.breaking])
    }

    @Test func `built-in types are compared if both contracts have them`() throws {
        func places(_ old: [String], _ new: [String]) throws -> [String] {
            let contracts = try [old, new].map { names in
                try Contract(types: "{\(names.map { #""\#($0)": {}"# }.joined(separator: ", "))}")
            }
            return ContractDifference(from: contracts[0], to: contracts[1]).changes.map(\.place)
        }
        #expect(try places(["lamp"], ["lamp", "prompter", "daemon", "metrics"]) == ["metrics"])
        #expect(try places(["lamp", "prompter"], ["fan"]) == ["lamp", "fan"])
        #expect(try places(["prompter"], ["prompter", "daemon"]) == ["daemon"])
    }

    @Test func `a component that contains itself is compared once, and a new name is a change of the source`() throws {
        func contract(_ name: String, _ type: String) throws -> Contract {
            let next = reference(name)
            let node = #"{"type": "object", "properties": {"next": \#(next), "value": {"type": "\#(type)"}}}"#
            return try Contract(
                types: #"{"lamp": {"outputs": {"a": {"schema": \#(next)}}}}"#,
                schemas: #"{"\#(name)": \#(node)}"#
            )
        }
        let changed = ContractDifference(from: try contract("Node", "string"), to: try contract("Node", "integer"))
        #expect(changed.changes.map(\.place) == ["lamp.outputs.a.value"])
        #expect(changed.severity == .breaking)
        let renamed = ContractDifference(from: try contract("Node", "string"), to: try contract("Link", "string"))
        #expect(renamed.severity == .source)
        #expect(renamed.changes.first?.text == "has the type Link, not Node")
    }

    @Test func `params that a daemon describes again with the name of their type are the same as a reference`() throws {
        func contract(_ schema: (_ name: String) -> String) throws -> Contract {
            let place = #"{"type": "object", "required": ["lat"], "properties": {"lat": {"type": "number"}}}"#
            let many = #"{"type": "array", "items": \#(schema("Place"))}"#
            let inputs = #""inputs": {"many": {"schema": \#(many)}, "go": {"schema": \#(schema("Place"))}}"#
            let params = #"{"type": "object", "properties": {"to": \#(schema("Place"))}}"#
            return try Contract(
                types: #"{"map": {\#(inputs), "actions": {"fly": {"params": \#(params)}}}}"#,
                schemas: #"{"Place": \#(place)}"#
            )
        }
        let written = try contract(reference)
        let sent = try contract { name in
            #"""
            {"type": "object", "required": ["lat"], "properties": {"lat": {"type": "number"}},
             "additionalProperties": false, "title": "\#(name)"}
            """#
        }
        #expect(ContractDifference(from: written, to: sent).changes == [])
        #expect(ContractDifference(from: sent, to: written).changes == [])
    }
}

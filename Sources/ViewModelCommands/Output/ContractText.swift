import Foundation
import Rainbow
import ViewModelClient

/// The contract of a type as text for people, in the declared order.
struct ContractText {
    private let type: String
    private let contract: JSONValue
    private let document: JSONValue
    private let width: Int?

    /// Creates the text.
    ///
    /// - Parameters:
    ///   - type: The name of the type.
    ///   - contract: The contract of the type.
    ///   - document: The document of the contract, into which schemas refer.
    ///   - width: The columns of the terminal, at which text is wrapped. Nil for any width.
    init(_ type: String, _ contract: JSONValue, in document: JSONValue, width: Int?) {
        self.type = type
        self.contract = contract
        self.document = document
        self.width = width
    }

    var text: String {
        let paragraphs = (contract["description"]?.stringValue ?? "").components(separatedBy: "\n\n")
            .map { TextWrap.text(PlainText.of($0), columns: width) + "\n" }
        var blocks = ["\(PlainText.of(type).bold)\n\(paragraphs.joined(separator: "\n"))"]
        let arguments = form(contract["arguments"])
        if !arguments.isEmpty { blocks.append(TextWrap.text("arguments \(arguments)", columns: width) + "\n") }
        blocks.append(section("inputs", ["name", "value", "description"]) { [form($0["schema"]), description($0)] })
        blocks.append(
            section("outputs", ["name", "kind", "value", "description"]) {
                [line($0["kind"]), form($0["schema"]), description($0)]
            }
        )
        blocks.append(
            section("actions", ["name", "policy", "takes", "returns", "description"]) {
                [line($0["policy"]), form($0["params"]), form($0["result"]), description($0)]
            }
        )
        blocks.append(table("errors", ["action", "error", "details", "description"], errors))
        blocks.append(table("types", ["name", "value", "description"], types))
        let children = (contract["children"]?.objectValue ?? [:]).map {
            "child \(PlainText.of($0.key)): \(line($0.value))\n"
        }
        blocks.append(children.joined())
        return blocks.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private var errors: [[String]] {
        (contract["actions"]?.objectValue ?? [:]).flatMap { name, action in
            (action["errors"]?.arrayValue ?? []).map { error in
                let retryable = error["retryable"] == .bool(true) ? " (may be tried again)" : ""
                return [name, line(error["error"]), form(error["details"]), description(error) + retryable]
            }
        }
    }

    /// The named types that the members use.
    private var types: [[String]] {
        var schemas = [contract["arguments"]]
        for (_, input) in contract["inputs"]?.objectValue ?? [:] { schemas.append(input["schema"]) }
        for (_, output) in contract["outputs"]?.objectValue ?? [:] { schemas.append(output["schema"]) }
        for (_, action) in contract["actions"]?.objectValue ?? [:] {
            schemas += [action["params"], action["result"]]
            schemas += (action["errors"]?.arrayValue ?? []).map { $0["details"] }
        }
        var known: Set<String> = []
        return schemas.compactMap(\.self).flatMap { ParameterSchema($0, in: document).namedParts }
            .filter { known.insert($0.name ?? "").inserted }
            .map { [$0.name ?? "", PlainText.of($0.form), line($0["description"])] }
    }

    private func section(_ name: String, _ headers: [String], _ cells: (JSONValue) -> [String]) -> String {
        // The outputs that each action has by itself have a point in their names.
        let members = (contract[name]?.objectValue ?? [:]).filter { !$0.key.contains(".") }
        return table(name, headers, members.map { [$0.key] + cells($0.value) })
    }

    private func table(_ name: String, _ headers: [String], _ rows: [[String]]) -> String {
        rows.isEmpty ? "" : name.bold + "\n" + Table.text(rows, headers: headers, width: width, overflow: .wrap)
    }

    private func description(_ value: JSONValue) -> String { line(value["description"]) }

    private func line(_ value: JSONValue?) -> String {
        value.flatMap { $0.isNull ? nil : ValueText.inline($0) } ?? ""
    }

    private func form(_ schema: JSONValue?) -> String {
        guard let schema, !schema.isNull else { return "" }
        return PlainText.of(ParameterSchema(schema, in: document).summary)
    }
}

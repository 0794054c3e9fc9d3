import Rainbow
import ViewModelClient

/// The contract of a type as text for people.
struct ContractText {
    private let type: String
    private let contract: JSONValue
    private let document: JSONValue

    init(_ type: String, _ contract: JSONValue, in document: JSONValue) {
        self.type = type
        self.contract = contract
        self.document = document
    }

    var text: String {
        var blocks = ["\(type.bold)\n\(line(contract["description"]))\n"]
        let arguments = form(contract["arguments"])
        if !arguments.isEmpty { blocks.append("\("arguments".bold) \(arguments)\n") }
        blocks.append(section("inputs") { [$0, form($1["schema"]), line($1["description"])] })
        blocks.append(
            section("outputs", ["name", "kind", "value", "description"]) {
                [$0, line($1["kind"]), form($1["schema"]), line($1["description"])]
            }
        )
        blocks.append(
            section("actions", ["name", "policy", "takes", "returns", "description"]) {
                [$0, line($1["policy"]), form($1["params"]), form($1["result"]), line($1["description"])]
            }
        )
        let children = contract["children"]?.objectValue ?? [:]
        blocks += children.sorted { $0.key < $1.key }.map { "child \($0.key): \(line($0.value))\n" }
        return blocks.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private func section(
        _ name: String,
        _ headers: [String] = ["name", "value", "description"],
        _ row: (String, JSONValue) -> [String]
    ) -> String {
        guard let members = contract[name]?.objectValue, !members.isEmpty else { return "" }
        return name.bold + "\n" + Table.text(members.sorted { $0.key < $1.key }.map(row), headers: headers)
    }

    private func line(_ value: JSONValue?) -> String {
        value.flatMap { $0.isNull ? nil : ValueText.inline($0) } ?? ""
    }

    private func form(_ schema: JSONValue?) -> String {
        guard let schema, !schema.isNull else { return "" }
        return ParameterSchema(schema, in: document).summary
    }
}

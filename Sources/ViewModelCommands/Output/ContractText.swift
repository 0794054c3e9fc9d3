import Foundation
import Rainbow
import ViewModelClient
import ViewModelContract

/// The contract of a type as text for people, in the declared order.
struct ContractText {
    let type: ContractType
    /// The contract with the type.
    let contract: Contract
    /// The columns of the terminal, at which text is wrapped; nil for any width.
    let width: Int?

    var text: String {
        let paragraphs = type.description.components(separatedBy: "\n\n")
            .map { TextWrap.text(PlainText.of($0), columns: width) + "\n" }
        let arguments = form(type.arguments)
        let inputs = type.inputs.map { [$0.name, form($0.schema), line($0.description)] }
        // The outputs that each action has by itself are not shown.
        let outputs = type.outputs.filter { $0.action == nil }.map { output in
            [output.name, word(output.node["kind"]), form(output.schema), line(output.description)]
        }
        let actions = type.actions.map { action in
            let (takes, returns) = (form(action.parameters), form(action.result))
            return [action.name, word(action.node["policy"]), takes, returns, line(action.description)]
        }
        let blocks = [
            "\(PlainText.of(type.name).bold)\n\(paragraphs.joined(separator: "\n"))",
            arguments.isEmpty ? "" : TextWrap.text("arguments \(arguments)", columns: width) + "\n",
            table("inputs", ["name", "value", "description"], inputs),
            table("outputs", ["name", "kind", "value", "description"], outputs),
            table("actions", ["name", "policy", "takes", "returns", "description"], actions),
            table("errors", ["action", "error", "details", "description"], errors),
            table("types", ["name", "value", "description"], types),
            type.children.map { "child \(PlainText.of($0.name)): \(line($0.type))\n" }.joined(),
        ]
        return blocks.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private var errors: [[String]] {
        type.actions.flatMap { action in
            action.failures.map { failure in
                let retryable = failure.isRetryable ? " (may be tried again)" : ""
                return [
                    action.name, line(failure.error), form(failure.details), line(failure.description) + retryable,
                ]
            }
        }
    }

    /// The named types that the members use.
    private var types: [[String]] {
        var known: Set<String> = []
        return type.schemas.flatMap { contract.components.namedParts(of: $0) }
            .filter { known.insert($0.name).inserted }
            .map { [$0.name, PlainText.of(contract.components.form(of: $0.schema)), line($0.schema.description)] }
    }

    private func table(_ name: String, _ headers: [String], _ rows: [[String]]) -> String {
        rows.isEmpty ? "" : name.bold + "\n" + Table.text(rows, headers: headers, width: width, wraps: true)
    }

    private func line(_ text: String) -> String { ValueText.inline(.string(text)) }

    /// Returns a word of the document, which may be one that this program does not know.
    private func word(_ node: ContractNode?) -> String { line(node?.text ?? "") }

    private func form(_ schema: ContractSchema?) -> String {
        schema.map { PlainText.of(contract.components.summary(of: $0)) } ?? ""
    }
}

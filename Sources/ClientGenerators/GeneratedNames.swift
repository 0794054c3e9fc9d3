import JSONRPC
import ViewModelContract

/// The names that a generated client gives to the parts of a contract.
///
/// A program uses a client by these names. ``ContractDifference`` compares those of two contracts.
package struct GeneratedNames: Sendable {
    package struct Part: Hashable, Sendable {
        /// The path of the part, such as `lamp.outputs.level`.
        let path: ExactString
        /// The declaration that has the name, if the part has several.
        let role: String
    }

    /// The parts, in the order in which they got their names.
    package private(set) var parts: [Part] = []
    private var names: [Part: String] = [:]

    package subscript(part: Part) -> String? { names[part] }

    /// Returns the name of the part at a path.
    func name(_ path: String, _ role: String = "") -> String? { self[Part(path: ExactString(path), role: role)] }

    /// Notes the name of a part, of which the first one counts.
    mutating func add(_ name: String, at path: String, _ role: String = "") {
        let part = Part(path: ExactString(path), role: role)
        guard names[part] == nil else { return }
        names[part] = name
        parts.append(part)
    }
}

/// What makes two declared failures one.
struct FailureKey: Hashable {
    let error: String
    let details: JSONValue?
    /// The type that has it; nil if the details are the same wherever the failure is declared.
    var type: String?

    init(_ failure: ContractType.Failure) {
        error = failure.error
        details = failure.details?.node.json
    }
}

extension ContractType {
    /// The names of what a generated ViewModel has a member for, by the group in the contract.
    var memberNames: [(group: String, names: [String])] {
        [("children", children.map(\.name)), ("inputs", inputs.map(\.name)), ("actions", actions.map(\.name))]
    }
}

/// A path in a contract, where a type without a name of its own may stand.
struct SchemaPath {
    /// The path, such as `lamp.outputs.rows[]`.
    let text: String
    /// The name of a type that stands there.
    let hint: String

    /// Returns a path inside of this one.
    func appending(_ part: String, _ hint: String) -> SchemaPath {
        SchemaPath(text: text + part, hint: self.hint + hint)
    }

    static func component(_ name: String, _ hint: String) -> SchemaPath {
        SchemaPath(text: "components.\(name)", hint: hint)
    }
}

/// The names that generated code must not give to something else, as `Templates/names.txt` lists them.
enum ReservedNames {
    private static let lists: [String: Set<String>] = {
        var lists: [String: Set<String>] = [:]
        var name = ""
        for word in ClientRuntime.text(of: "names.txt").split(whereSeparator: \.isWhitespace).map(String.init) {
            if word.hasSuffix(":") { name = String(word.dropLast()) } else { lists[name, default: []].insert(word) }
        }
        return lists
    }()

    static func list(_ name: String) -> Set<String> { lists[name, default: []] }
}

package import JSONRPC

/// The contract of a daemon: its ViewModel types and the schemas of their values (protocol, section 9).
///
/// It keeps the order of the document. Generators, `diff` and mocks read it.
package struct Contract: Sendable {
    /// The title of the document, which is usually the name of the daemon.
    package let title: String
    /// The version in the document, or an empty text.
    package let version: String
    /// The hash of the contract.
    package let hash: String
    /// Whether the document names its hash, as that of a daemon does.
    ///
    /// A document that was written by hand or for a test may lack types of the daemon, so that the daemon has another
    /// hash.
    package let isComplete: Bool
    /// The ViewModel types.
    package internal(set) var types: [ContractType] { didSet { indices = Self.indices(of: types) } }
    /// The schemas by the names under which others refer to them.
    package internal(set) var components: ContractComponents
    /// The scenes that clients can open.
    package let scenes: [ContractScene]
    /// The classes that save values, of ViewModels and of shared models.
    package let savingClasses: [ContractSavingClass]
    /// The same as the document has it, or nil.
    package let savedValues: JSONValue?
    /// The methods of the protocol, and those of default instances.
    package let methods: [ContractMethod]

    package func type(_ name: String) -> ContractType? { indices[name].map { types[$0] } }

    /// The positions of the types.
    private(set) var indices: [String: Int]

    static func indices(of types: [ContractType]) -> [String: Int] {
        Dictionary(types.enumerated().map { ($1.name, $0) }) { first, _ in first }
    }
}

package struct ContractMethod: Sendable {
    package let name: String
    /// The description in one line, or an empty text.
    package let summary: String
}

/// A class that saves values.
package struct ContractSavingClass: Sendable {
    package let name: String
    /// The names that it had.
    package let formerNames: [String]
    /// The names of the values that each of its migrations reads.
    package let migrations: [[String]]
    package let values: [Value]

    /// A value that is saved.
    package struct Value: Sendable {
        package let name: String
        /// The names that it had.
        package let formerNames: [String]
        /// Whose value it is: `session`, `user` or `daemon`.
        package let keptFor: String
        /// The schema of the saved values that the code reads completely.
        package let schema: ContractSchema?
    }
}

/// A scene that clients can open.
package struct ContractScene: Sendable {
    package let name: String
    /// The id of the instance that it shows, or nil.
    package let instance: String?
}

/// A ViewModel type of a contract.
package struct ContractType: Sendable {
    package let name: String
    /// The description for people, or an empty text.
    package let description: String
    /// Whether it is one of those that every daemon has.
    package let isBuiltIn: Bool
    /// The id of its default instance; nil for a type that exists only as a child.
    package let instance: String?
    /// The ids at which it is a child, such as `mine.header`.
    package let childPaths: [String]
    /// The arguments of `viewModel.open`; nil if it has none.
    package internal(set) var arguments: ContractSchema?
    package internal(set) var inputs: [Input]
    /// The outputs, those of its actions included, in the order on the wire.
    package let outputs: [Output]
    package internal(set) var actions: [Action]
    package let children: [Child]
    /// The type in its document.
    package let node: ContractNode

    package func input(_ name: String) -> Input? { inputs.first { $0.name == name } }
    package func output(_ name: String) -> Output? { outputs.first { $0.name == name } }
    package func action(_ name: String) -> Action? { actions.first { $0.name == name } }

    package struct Input: Sendable {
        package let name: String
        package let description: String
        /// The schema of the value; nil for an input without a value.
        package internal(set) var schema: ContractSchema?
        /// Whether a state output has the same name and type (protocol, section 6).
        package let isField: Bool
    }

    package struct Output: Sendable {
        /// The kind of an output.
        package enum Kind: String, CaseIterable, Sendable { case state, list, event }

        package let name: String
        package let description: String
        package let kind: Kind
        /// The schema of the value; of a list, the array.
        package let schema: ContractSchema
        /// Whether the value differs between two runs with the same inputs.
        package let isVolatile: Bool
        /// The action that has the output by itself; nil for an output of the author.
        package let action: String?
        package let node: ContractNode
    }

    package struct Action: Sendable {
        /// What happens to a call while the action executes.
        package enum Policy: String, CaseIterable, Sendable { case exclusive, latest, queued, concurrent, shared }

        package let name: String
        package let description: String
        package let policy: Policy
        /// The schema of the params; nil for an action without params.
        package internal(set) var parameters: ContractSchema?
        /// The schema of the result; nil for an action whose result is null.
        package let result: ContractSchema?
        /// The declared failures.
        package let failures: [Failure]
        package let node: ContractNode
    }

    /// A failure that the author of an action has declared.
    package struct Failure: Sendable {
        package let error: String
        package let description: String
        package let isRetryable: Bool
        /// The schema of the details; nil if they are null.
        package let details: ContractSchema?
    }

    package struct Child: Sendable {
        package let name: String
        /// The name of its type.
        package let type: String
    }
}

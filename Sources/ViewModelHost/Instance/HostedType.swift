import ViewModelContract
import ViewModelKit
import ViewModelProtocol

/// A ViewModel type with its contract and look-up tables.
final class HostedType: Sendable {
    /// A member that can be called, with its index among the contract's members of its kind.
    enum Member: Sendable {
        case input(Int)
        case action(Int)
    }

    /// An output of the type or of one of its actions.
    struct OutputSlot: Sendable {
        let name: String
        let kind: ContractType.Output.Kind
        /// `"name":`, as JSON text of an object's member.
        let key: [UInt8]
    }

    let contract: HostedContract
    let members: NameTable<Member>
    /// `init`, the inputs, then the actions and those of the class itself, for the log of what a thread runs.
    let memberNames: [String]
    let slots: [OutputSlot]
    let slotIndices: [ExactString: Int]
    let children: [(name: String, type: HostedType)]
    /// Makes an instance's object.
    ///
    /// Nil for a child's type, because the parent makes the child.
    let make: (@Sendable (ViewModelContext) throws -> AnyObject)?
    /// Whether the type is one of the three with an instance in every session.
    let isBuiltIn: Bool
    /// Whether instances are part of the saved session.
    let isRestored: Bool
    /// Whether `rpc.discover` lists the type.
    let isDescribed: Bool
    /// The indices of all outputs, which the bindings to all of them share.
    let allOutputs: [Int]

    var name: String { contract.name }
    /// The number of instances that are created with one of this type, children included.
    var instanceCount: Int { 1 + children.reduce(0) { $0 + $1.type.instanceCount } }

    /// Whether a value that clients send to the type contains a password.
    var hasSecrets: Bool {
        contract.inputs.contains { $0.shape.reading.isSecret }
            || contract.actions.contains { $0.parameters.reading.isSecret }
            || contract.arguments?.reading.isSecret == true
    }

    /// Creates a type; a built-in one and the type of a child have no entry in the catalog.
    init(_ contract: HostedContract, _ entry: ViewModelCatalog.Entry? = nil, isBuiltIn: Bool = false) {
        self.contract = contract
        make = entry?.make
        self.isBuiltIn = isBuiltIn
        isRestored = entry?.isRestored ?? false
        isDescribed = entry?.isDescribed ?? true
        let inputs: [(String, Member)] = contract.inputs.enumerated().map { ($1.name, .input($0)) }
        let members = inputs + contract.actions.enumerated().map { ($1.name, .action($0)) }
        self.members = NameTable(members)
        memberNames = ["init"] + members.map(\.0) + contract.ownActions.map(\.name)
        slots =
            contract.outputs.map { Self.slot($0.name, $0.kind) }
            + contract.actions.flatMap { action in
                ActionOutput.allCases.map { Self.slot("\(action.name).\($0.rawValue)", .state) }
            }
        self.slotIndices = Dictionary(uniqueKeysWithValues: slots.enumerated().map { (ExactString($1.name), $0) })
        self.children = contract.children.map { ($0.name, HostedType($0.type())) }
        self.allOutputs = Array(slots.indices)
    }

    /// Returns the owner of the saved values of an instance.
    func owner(_ id: String) -> RestorableValues.Owner {
        .init(id, of: name, formerNames: contract.type?.formerNames ?? [], contract.type)
    }

    private static func slot(_ name: String, _ kind: ContractType.Output.Kind) -> OutputSlot {
        var key = JSONWriter()
        key.string(name)
        key.byte(UInt8(ascii: ":"))
        return OutputSlot(name: name, kind: kind, key: key.bytes)
    }
}

extension HostedType {
    /// Returns the ids of the children in the default instances of types, by the names of the children's types.
    static func childPaths(in types: [HostedType]) -> [ExactString: [String]] {
        var paths: [ExactString: [String]] = [:]
        func collect(_ type: HostedType, _ path: String) {
            for child in type.children {
                let childPath = "\(path).\(child.name)"
                paths[ExactString(child.type.name), default: []].append(childPath)
                collect(child.type, childPath)
            }
        }
        for type in types { collect(type, type.name) }
        return paths
    }
}

import ViewModelKit
import ViewModelProtocol

/// A ViewModel type as a host works with it: its contract, and what is looked up in it often.
final class HostedType: Sendable {
    /// What a method's member can be, with its place among those of its kind in the contract.
    enum Member: Sendable {
        case input(Int)
        case action(Int)
    }

    /// An output, an action's own ones included.
    struct OutputSlot: Sendable {
        let name: String
        let kind: OutputContract.Kind
        /// `"name":`, as it stands in an object.
        let key: [UInt8]
    }

    let contract: HostedContract
    let members: NameTable<Member>
    let slots: [OutputSlot]
    let slotIndices: [String: Int]
    let children: [(name: String, type: HostedType)]
    /// Makes an instance's object; nil for a child's type, which its parent makes.
    let make: (@Sendable (ViewModelContext) throws -> AnyObject)?
    /// Whether it is one of the three that exist in every session.
    let isBuiltIn: Bool
    /// Whether instances come back with their session.
    let isRestored: Bool
    /// The shape of a binding to everything.
    let allOutputs: BindingShape

    var name: String { contract.name }
    /// How many instances come into being with one of this type.
    var instanceCount: Int { 1 + children.reduce(0) { $0 + $1.type.instanceCount } }

    init(
        _ contract: HostedContract,
        make: (@Sendable (ViewModelContext) throws -> AnyObject)?,
        isBuiltIn: Bool = false,
        isRestored: Bool = false
    ) {
        self.contract = contract
        self.make = make
        self.isBuiltIn = isBuiltIn
        self.isRestored = isRestored
        var members: [(String, Member)] = []
        for (index, input) in contract.inputs.enumerated() {
            members.append((input.name, .input(index)))
        }
        for (index, action) in contract.actions.enumerated() {
            members.append((action.name, .action(index)))
        }
        self.members = NameTable(members)
        var slots = contract.outputs.map { Self.slot($0.name, $0.contract.kind) }
        for action in contract.actions {
            for suffix in ["enabled", "executing", "progress"] {
                slots.append(Self.slot("\(action.name).\(suffix)", .state))
            }
        }
        self.slots = slots
        self.slotIndices = Dictionary(uniqueKeysWithValues: slots.enumerated().map { ($1.name, $0) })
        self.children = contract.children.map { ($0.name, HostedType($0.type, make: nil)) }
        self.allOutputs = BindingShape(outputs: Array(slots.indices))
    }

    private static func slot(_ name: String, _ kind: OutputContract.Kind) -> OutputSlot {
        var key = JSONWriter()
        key.string(name)
        key.byte(UInt8(ascii: ":"))
        return OutputSlot(name: name, kind: kind, key: key.bytes)
    }
}

/// Which outputs a binding shows, in the order of the contract; shared by the bindings that show the same.
final class BindingShape: Sendable {
    let outputs: [Int]

    init(outputs: [Int]) {
        self.outputs = outputs
    }
}

import ViewModelKit

/// The instance and the name of a member on the wire.
struct MemberName {
    let instance: String
    let name: String
}

/// The wire names of a ViewModel's members, by the identity of the members.
struct MemberNames {
    private var names: [ObjectIdentifier: MemberName] = [:]
    /// The ViewModel's instance and those of its children.
    private(set) var instances: [String] = []

    init<Type: ViewModel>(of viewModel: Type, at id: String) {
        add(Type.contract.hosted, viewModel, at: id)
    }

    func name(of member: AnyObject) throws(HarnessError) -> MemberName {
        guard let name = names[ObjectIdentifier(member)] else {
            throw HarnessError("a \(type(of: member)) that is no declared member of the ViewModel")
        }
        return name
    }

    private mutating func add(_ contract: HostedContract, _ object: AnyObject, at id: String) {
        instances.append(id)
        for input in contract.inputs {
            names[ObjectIdentifier(input.member(object))] = MemberName(instance: id, name: input.name)
        }
        for output in contract.outputs {
            names[ObjectIdentifier(output.member(object))] = MemberName(instance: id, name: output.name)
        }
        for action in contract.actions {
            names[ObjectIdentifier(action.member(object))] = MemberName(instance: id, name: action.name)
        }
        for child in contract.children {
            add(child.type, child.member(object), at: "\(id).\(child.name)")
        }
    }
}

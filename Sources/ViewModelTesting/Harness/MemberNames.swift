import ViewModelKit
import ViewModelProtocol

struct MemberNames {
    private var names: [ObjectIdentifier: MemberPath] = [:]
    /// The ViewModel's instance and those of its children.
    private(set) var instances: [String] = []

    init<Type: ViewModel>(of viewModel: Type, at id: String) {
        add(Type.contract.hosted, viewModel, at: id)
    }

    func name(of member: AnyObject) throws(HarnessError) -> MemberPath {
        guard let name = names[ObjectIdentifier(member)] else {
            throw HarnessError("a \(type(of: member)) that is no declared member of the ViewModel")
        }
        return name
    }

    private mutating func add(_ contract: HostedContract, _ object: AnyObject, at id: String) {
        instances.append(id)
        for input in contract.inputs {
            names[ObjectIdentifier(input.member(object))] = MemberPath(instance: id, member: input.name)
        }
        for output in contract.outputs {
            names[ObjectIdentifier(output.member(object))] = MemberPath(instance: id, member: output.name)
        }
        for action in contract.actions {
            names[ObjectIdentifier(action.member(object))] = MemberPath(instance: id, member: action.name)
        }
        for child in contract.children {
            add(child.type(), child.member(object), at: "\(id).\(child.name)")
        }
    }
}

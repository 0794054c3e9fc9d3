import ViewModelKit

/// The wire names of a ViewModel's members, by the identity of the members.
struct MemberNames {
    /// The instance and the name of a member.
    struct Place {
        let instance: String
        let name: String
    }

    private var places: [ObjectIdentifier: Place] = [:]
    /// The ViewModel's instance and those of its children.
    private(set) var instances: [String] = []

    init<Type: ViewModel>(of viewModel: Type, at id: String) {
        add(HostedContract(of: Type.self), viewModel, at: id)
    }

    func place(of member: AnyObject) throws(HarnessError) -> Place {
        guard let place = places[ObjectIdentifier(member)] else {
            throw HarnessError("a \(type(of: member)) that is no declared member of the ViewModel")
        }
        return place
    }

    private mutating func add(_ contract: HostedContract, _ object: AnyObject, at id: String) {
        instances.append(id)
        for input in contract.inputs {
            places[ObjectIdentifier(input.contract.member(object))] = Place(instance: id, name: input.name)
        }
        for output in contract.outputs {
            places[ObjectIdentifier(output.contract.member(object))] = Place(instance: id, name: output.name)
        }
        for action in contract.actions {
            places[ObjectIdentifier(action.contract.member(object))] = Place(instance: id, name: action.name)
        }
        for child in contract.children {
            add(child.type, child.contract.member(object), at: "\(id).\(child.name)")
        }
    }
}

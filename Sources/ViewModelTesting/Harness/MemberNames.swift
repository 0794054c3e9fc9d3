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
            let type = (member as? any ListSource)?.typeName ?? "\(type(of: member))"
            throw HarnessError("a \(type) that is no declared member of the ViewModel")
        }
        return name
    }

    private mutating func add(_ contract: HostedContract, _ object: AnyObject, at id: String) {
        instances.append(id)
        let members: [(name: String, object: AnyObject)] =
            contract.inputs.map { ($0.name, $0.member(object)) } + contract.outputs.map { ($0.name, $0.member(object)) }
            + contract.actions.map { ($0.name, $0.member(object)) }
        for member in members {
            names[ObjectIdentifier(member.object)] = MemberPath(instance: id, member: member.name)
        }
        for child in contract.children {
            add(child.type(), child.member(object), at: "\(id).\(child.name)")
        }
    }
}

/// A ViewModel's contract without its Swift type, for the host and for tools.
package final class HostedContract: Sendable {
    /// An input, an output or an action.
    package final class Member<Contract: Sendable>: Sendable {
        package let name: String
        package let description: String
        package let contract: Contract

        package init(name: String, description: String, contract: Contract) {
            self.name = name
            self.description = description
            self.contract = contract
        }
    }

    package typealias Input = Member<InputContract>
    package typealias Output = Member<OutputContract>
    package typealias Action = Member<ActionContract>

    package struct Child: Sendable {
        package let name: String
        package let description: String
        package let type: HostedContract
        package let contract: ChildContract

        package init(name: String, description: String, type: HostedContract, contract: ChildContract) {
            self.name = name
            self.description = description
            self.type = type
            self.contract = contract
        }
    }

    package let name: String
    package let description: String
    package let arguments: MemberShape?
    package let inputs: [Input]
    package let outputs: [Output]
    package let actions: [Action]
    package let children: [Child]

    /// Creates a contract that no Swift type declares.
    package init(
        name: String,
        description: String,
        arguments: MemberShape?,
        inputs: [Input],
        outputs: [Output],
        actions: [Action],
        children: [Child]
    ) {
        self.name = name
        self.description = description
        self.arguments = arguments
        self.inputs = inputs
        self.outputs = outputs
        self.actions = actions
        self.children = children
    }

    /// Creates the contract of a type.
    package convenience init<Type: ViewModel>(of type: Type.Type) {
        let contract = Type.contract
        var inputs: [Input] = []
        var outputs: [Output] = []
        var actions: [Action] = []
        var children: [Child] = []
        for member in contract.members {
            let (name, description) = (member.name, member.description)
            switch member.kind {
            case .input(let input):
                inputs.append(Input(name: name, description: description, contract: input))
            case .output(let output):
                outputs.append(Output(name: name, description: description, contract: output))
            case .action(let action):
                actions.append(Action(name: name, description: description, contract: action))
            case .child(let child):
                children.append(Child(name: name, description: description, type: child.type(), contract: child))
            }
        }
        self.init(
            name: contract.name,
            description: contract.description,
            arguments: contract.arguments,
            inputs: inputs,
            outputs: outputs,
            actions: actions,
            children: children
        )
    }
}

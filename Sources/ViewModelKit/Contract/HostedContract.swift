/// A ViewModel's contract without its type, its schemas found: what a host and a client's tools work with.
package final class HostedContract: Sendable {
    package final class Input: Sendable {
        package let name: String
        package let description: String
        /// The value's schema, nil for an input without a value.
        package let schema: Schema?
        /// How the value is read from params.
        package let reading: ParameterReading
        package let contract: InputContract

        init(name: String, description: String, schema: Schema?, contract: InputContract) {
            self.name = name
            self.description = description
            self.schema = schema
            self.contract = contract
            reading = ParameterReading(of: schema)
        }
    }

    package struct Output: Sendable {
        package let name: String
        package let description: String
        package let kind: OutputContract.Kind
        package let schema: Schema
        package let contract: OutputContract
    }

    package final class Action: Sendable {
        package let name: String
        package let description: String
        package let parameters: Schema?
        package let result: Schema?
        /// How the parameters are read from params.
        package let reading: ParameterReading
        package let contract: ActionContract

        init(name: String, description: String, parameters: Schema?, result: Schema?, contract: ActionContract) {
            self.name = name
            self.description = description
            self.parameters = parameters
            self.result = result
            self.contract = contract
            reading = ParameterReading(of: parameters)
        }
    }

    package struct Child: Sendable {
        package let name: String
        package let description: String
        package let type: HostedContract
        package let contract: ChildContract
    }

    package let name: String
    package let description: String
    package let arguments: Schema?
    package let inputs: [Input]
    package let outputs: [Output]
    package let actions: [Action]
    package let children: [Child]

    /// Reads the contract of a type.
    ///
    /// - Throws: ``SchemaError`` when the shape of a value cannot be told.
    package init<Type: ViewModel>(of type: Type.Type) throws(SchemaError) {
        let contract = Type.contract
        var inputs: [Input] = []
        var outputs: [Output] = []
        var actions: [Action] = []
        var children: [Child] = []
        for member in contract.members {
            let (name, description) = (member.name, member.description)
            switch member.kind {
            case .input(let input):
                inputs.append(
                    Input(name: name, description: description, schema: try input.schema(), contract: input)
                )
            case .output(let output):
                outputs.append(
                    Output(
                        name: name,
                        description: description,
                        kind: output.kind,
                        schema: try output.schema(),
                        contract: output
                    )
                )
            case .action(let action):
                actions.append(
                    Action(
                        name: name,
                        description: description,
                        parameters: try action.parameters(),
                        result: try action.result(),
                        contract: action
                    )
                )
            case .child(let child):
                children.append(Child(name: name, description: description, type: try child.type(), contract: child))
            }
        }
        self.name = contract.name
        self.description = contract.description
        self.arguments = try contract.arguments()
        self.inputs = inputs
        self.outputs = outputs
        self.actions = actions
        self.children = children
    }
}

/// What has to be known of a type to read a value of it from params (protocol, section 6).
package struct ParameterReading: Sendable {
    /// Whether there is a value at all.
    package let takesValue: Bool
    /// Whether the value's members are the params.
    package let isObject: Bool
    /// Whether what is found must not be repeated.
    package let isSecret: Bool

    init(of schema: Schema?) {
        takesValue = schema != nil
        isObject = schema?.isObject ?? false
        isSecret = schema?.isSecret ?? false
    }
}

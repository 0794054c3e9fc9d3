extension Contract {
    /// The contract in which params refer to the components that they describe again.
    ///
    /// A document describes an object in params where it stands, because params are closed and components are open. The
    /// `title` of the object is the name of the component (protocol, section 9). A generated client needs one type for
    /// both.
    package var withNamedParameters: Contract {
        Contract(
            title: title,
            version: version,
            hash: hash,
            isComplete: isComplete,
            types: types.map { $0.withNamedParameters(components) },
            components: components,
            scenes: scenes,
            methods: methods
        )
    }
}

extension ContractType {
    fileprivate func withNamedParameters(_ components: ContractComponents) -> ContractType {
        ContractType(
            name: name,
            description: description,
            isBuiltIn: isBuiltIn,
            instance: instance,
            childPaths: childPaths,
            arguments: arguments?.namingParts(components),
            inputs: inputs.map { input in
                Input(
                    name: input.name,
                    description: input.description,
                    schema: input.schema?.named(components),
                    isField: input.isField,
                    node: input.node
                )
            },
            outputs: outputs,
            actions: actions.map { action in
                Action(
                    name: action.name,
                    description: action.description,
                    policy: action.policy,
                    parameters: action.parameters?.namingParts(components),
                    result: action.result,
                    failures: action.failures,
                    node: action.node
                )
            },
            children: children,
            node: node
        )
    }
}

extension ContractSchema {
    /// Returns a reference to the component that the schema describes again, or the schema with such references inside.
    fileprivate func named(_ components: ContractComponents) -> ContractSchema {
        if case .object(let properties, nil) = rule, let title = node["title"]?.text,
            case .object(let declared, _)? = components[title]?.rule, properties.map(\.name) == declared.map(\.name)
        {
            return replacing(.reference(title))
        }
        return namingParts(components)
    }

    /// Returns the schema with references to components inside of it.
    fileprivate func namingParts(_ components: ContractComponents) -> ContractSchema {
        switch rule {
        case .array(let element, let count, let isSet):
            replacing(.array(element.named(components), count: count, isSet: isSet))
        case .object(let properties, let others):
            replacing(
                .object(
                    properties.map {
                        Property(name: $0.name, schema: $0.schema.named(components), isRequired: $0.isRequired)
                    },
                    others: others?.named(components)
                )
            )
        case .anyOf(let alternatives): replacing(.anyOf(alternatives.map { $0.named(components) }))
        default: self
        }
    }
}

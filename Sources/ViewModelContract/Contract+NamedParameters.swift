extension Contract {
    /// The contract in which params refer to the components that they describe again.
    ///
    /// A document describes an object in params where it stands, because params are closed and components are open. The
    /// `title` of the object is the name of the component (protocol, section 9). A generated client needs one type for
    /// both.
    package var withNamedParameters: Contract {
        var contract = self
        contract.types = types.map { $0.withNamedParameters(components) }
        return contract
    }

    /// Returns the contract with some of its types, without the components that only the others use.
    package func filteringTypes(_ isIncluded: (ContractType) -> Bool) -> Contract {
        var contract = self
        contract.types = types.filter(isIncluded)
        let used = components.references(of: contract.types.flatMap(\.schemas))
        let others = components.references(of: types.filter { !isIncluded($0) }.flatMap(\.schemas))
        let kept = components.names.filter { used.contains($0) || !others.contains($0) }
        contract.components = ContractComponents(kept.compactMap { name in components[name].map { (name, $0) } })
        return contract
    }
}

extension ContractComponents {
    /// Returns the names of the components that schemas refer to, also through other components.
    package func references(of schemas: [ContractSchema]) -> Set<String> {
        var found: Set<String> = []
        var open = schemas.flatMap(\.references)
        while let name = open.popLast() {
            guard found.insert(name).inserted, let component = self[name] else { continue }
            open += component.references
        }
        return found
    }
}

extension ContractType {
    /// The schemas of its arguments, inputs, outputs and actions.
    package var schemas: [ContractSchema] {
        let calls = actions.flatMap { [$0.parameters, $0.result] + $0.failures.map(\.details) }
        let members = [arguments] + inputs.map(\.schema) + outputs.map(\.schema)
        return (members + calls).compactMap(\.self)
    }

    fileprivate func withNamedParameters(_ components: ContractComponents) -> ContractType {
        var type = self
        type.arguments = arguments?.namingParts(components)
        for (index, input) in inputs.enumerated() { type.inputs[index].schema = input.schema?.named(components) }
        for (index, action) in actions.enumerated() {
            type.actions[index].parameters = action.parameters?.named(components)
        }
        return type
    }
}

extension ContractSchema {
    /// Returns the name of the component that the schema refers to or describes again, or nil.
    package func componentName(in components: ContractComponents) -> String? {
        if case .reference(let name) = rule { return name }
        guard case .object(let properties, nil) = rule, let title = node["title"]?.text,
            case .object(let declared, _)? = components[title]?.rule, properties.map(\.name) == declared.map(\.name)
        else { return nil }
        return title
    }

    /// Returns a reference to the component that the schema describes again, or the schema with such references inside.
    fileprivate func named(_ components: ContractComponents) -> ContractSchema {
        componentName(in: components).map { replacing(.reference($0)) } ?? namingParts(components)
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

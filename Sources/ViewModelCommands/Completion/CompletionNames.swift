import ViewModelClient
import ViewModelContract

/// The candidates for words that are names of a contract and of instances.
struct CompletionNames {
    private let contract: Contract
    private let living: [(id: String, type: String)]
    /// The living instances, and the default ones with their children.
    private let instances: [(id: String, type: String)]

    init(contract: Contract, instances: [(id: String, type: String)]) {
        self.contract = contract
        living = instances
        var all = instances
        var known = Set(instances.map(\.id))
        for type in contract.types {
            for id in type.instances where known.insert(id).inserted { all.append((id, type.name)) }
        }
        self.instances = all
    }

    /// Returns the types, or only those that can be opened.
    func types(opened: Bool) -> [CompletionCandidate] {
        contract.types.filter { !opened || $0.childPaths.isEmpty }
            .map { CompletionCandidate(text: $0.name, description: $0.description) }
    }

    var allInstances: [CompletionCandidate] {
        instances.map { CompletionCandidate(text: $0.id, description: $0.type) }
    }

    var closableInstances: [CompletionCandidate] {
        // The id of a child is no `InstanceID`.
        living.filter { InstanceID($0.id) != nil && !InstanceID.builtIn.contains($0.id) }
            .map { CompletionCandidate(text: $0.id, description: $0.type) }
    }

    var methods: [CompletionCandidate] {
        contract.methods.map { CompletionCandidate(text: $0.name, description: $0.summary) }
    }

    func outputs(of instance: String) -> [CompletionCandidate] {
        declaredOutputs(of: instance).map { CompletionCandidate(text: $0.name, description: $0.description) }
    }

    func windows(of instance: String) -> [CompletionCandidate] { assignments(of: instance) { $0.kind == .list } }

    func parameters(of method: String, _ word: String) -> [CompletionCandidate] {
        guard let path = MemberPath(method: method), let type = type(of: path.instance) else { return [] }
        if path.method == "coordinator.open", word.hasPrefix("scene=") {
            return contract.scenes.map { CompletionCandidate(text: "scene=\($0.name)") }
        }
        return values(ParameterForm(of: path.member, type, in: contract), word)
    }

    func arguments(of type: String, _ word: String) -> [CompletionCandidate] {
        values(ParameterForm(contract.type(type)?.arguments, in: contract), word)
    }

    private func type(of instance: String) -> ContractType? {
        instances.first { $0.id == instance }.flatMap { contract.type($0.type) }
    }

    private func declaredOutputs(of instance: String) -> [ContractType.Output] { type(of: instance)?.outputs ?? [] }

    /// Returns `name=` for some outputs.
    private func assignments(
        of instance: String,
        where isOffered: (ContractType.Output) -> Bool
    ) -> [CompletionCandidate] {
        declaredOutputs(of: instance).filter(isOffered)
            .map { CompletionCandidate(text: $0.name + "=", description: $0.description, isWhole: false) }
    }

    func conditions(of instance: String, _ word: String) -> [CompletionCandidate] {
        guard let (name, _) = word.halves else {
            guard let slash = word.lastIndex(of: "/") else { return assignments(of: instance) { _ in true } }
            let object = word[..<slash]
            return contract.components.alternatives(of: schemas(at: object, of: instance)).flatMap { schema in
                guard case .object(let properties, _) = contract.components.resolved(schema).rule else {
                    return [CompletionCandidate]()
                }
                return properties.map {
                    CompletionCandidate(text: "\(object)\(JSONPointer(tokens: [$0.name]))=", isWhole: false)
                }
            }
        }
        return schemas(at: name.hasSuffix("!") ? name.dropLast() : name, of: instance)
            .flatMap { contract.components.examples(of: $0) }
            .map { CompletionCandidate(text: "\(name)=\($0)") }
    }

    /// Returns the schemas of an output, or of the part of it that a JSON Pointer after its name names.
    private func schemas(at path: Substring, of instance: String) -> [ContractSchema] {
        let slash = path.firstIndex(of: "/") ?? path.endIndex
        guard let schema = declaredOutputs(of: instance).first(where: { $0.name == path[..<slash] })?.schema,
            let pointer = JSONPointer(String(path[slash...]))
        else { return [] }
        return (try? contract.components.schemas(at: pointer, of: schema)) ?? []
    }

    /// Returns the members of the instance before the last dot, and the instances themselves.
    func members(_ word: String) -> [CompletionCandidate] {
        let whole = instances.filter { word.hasPrefix($0.id + ".") }.flatMap { id, name in
            let type = contract.type(name)
            let members =
                (type?.inputs ?? []).map { ($0.name, $0.description) }
                + (type?.actions ?? []).map { ($0.name, $0.description) }
            return members.map { CompletionCandidate(text: "\(id).\($0)", description: $1) }
        }
        let starts = instances.map { CompletionCandidate(text: $0.id + ".", description: $0.type, isWhole: false) }
        // A child continues the id of its parent. Without members to offer, the ids are offered.
        return whole + starts.filter { $0.text != word }
    }

    private func values(_ form: ParameterForm, _ word: String) -> [CompletionCandidate] {
        form.parameters.flatMap { name, schema, _ in
            // A value that is no object stands alone or after its name.
            let alone = form.isObject ? [] : contract.components.examples(of: schema)
            return alone.map { CompletionCandidate(text: $0) } + named(name, schema, word)
        }
    }

    /// Returns `name=`, or the whole values of an enum or a Boolean if the word begins with `name=`.
    private func named(_ name: String, _ schema: ContractSchema, _ word: String) -> [CompletionCandidate] {
        guard word.hasPrefix(name + "=") else {
            let summary = contract.components.summary(of: schema)
            return [CompletionCandidate(text: name + "=", description: summary, isWhole: false)]
        }
        return contract.components.examples(of: schema).map { CompletionCandidate(text: "\(name)=\($0)") }
    }
}

/// The check that each saved value has one class and one property that reads it.
extension CatalogCheck {
    /// Checks the names of ViewModels and of shared models, and of what they save.
    mutating func checkSavedValues(of types: [HostedContract], _ models: [any SharedModel.Type]) {
        check(
            types.map { ($0.name, $0.type?.formerNames ?? []) } + models.map { ($0.owner, $0.formerOwners) },
            "the class"
        )
        for type in types {
            check([type] + type.descendants, of: type.name)
            for child in type.descendants {
                guard let saving = child.type else { continue }
                let isHosted = types.contains { $0.type == saving }
                let isIgnored =
                    isHosted
                    ? !saving.migrations.isEmpty && type.type?.migrations.isEmpty ?? true
                    : !saving.migrations.isEmpty || !saving.formerNames.isEmpty
                guard isIgnored else { continue }
                report(
                    "\(child.name) is a child, whose values belong to \(type.name); write the former names and the "
                        + "migrations there"
                )
            }
        }
        for model in models { check(model.savedValues, of: model.owner) }
    }

    private mutating func check(_ contracts: [HostedContract], of owner: String) {
        check(contracts.flatMap { $0.type?.savedValues ?? [] }, of: owner)
    }

    private mutating func check(_ values: [SavedContract], of owner: String) {
        for persistence in [Persistence.session, .user, .daemon] {
            let values = values.filter { $0.persistence == persistence }
            check(values.map { ($0.name, $0.formerNames) }, "\(owner): the saved value")
        }
    }

    /// Reports each former name that another declaration has, or had.
    private mutating func check(_ names: [(name: String, former: [String])], _ kind: String) {
        var later: [String: String] = [:]
        for (name, former) in names {
            for earlier in former where earlier != name {
                if names.contains(where: { $0.name == earlier }) {
                    report("\(kind) \(name) was called \(earlier), but another one has this name; remove one of them")
                } else if let other = later.updateValue(name, forKey: earlier), other != name {
                    report(
                        "\(kind) \(name) was called \(earlier), and so was \(other); remove the name from one of them"
                    )
                }
            }
        }
    }
}

extension HostedContract {
    /// The contracts of the children, and of their children.
    fileprivate var descendants: [HostedContract] {
        children.flatMap { child in
            let contract = child.type()
            return [contract] + contract.descendants
        }
    }
}

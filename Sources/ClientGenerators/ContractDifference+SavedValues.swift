import ViewModelContract

/// The differences of saved values, judged for those that the old code has saved.
extension ContractDifference {
    /// Compares a class with the one that reads its values.
    ///
    /// A new migration of the class may read them all.
    mutating func compareSavedValues(_ old: ContractSavingClass, _ classes: [ContractSavingClass]) {
        let place = "saved \(old.name)"
        let lost = "is saved no more, or under another name; what is saved is put aside"
        guard let new = classes.first(where: { $0.name == old.name || $0.formerNames.contains(old.name) }) else {
            return add(.breaking, place, lost)
        }
        let known = changes.count
        for former in old.values {
            let place = "\(place).\(former.name)"
            let later =
                new.values.first { $0.name == former.name }
                ?? new.values.first { $0.formerNames.contains(former.name) }
            guard let later else {
                add(.breaking, place, lost)
                continue
            }
            if later.keptFor != former.keptFor {
                add(.breaking, place, "is kept for the \(later.keptFor), not the \(former.keptFor)")
            }
            if let former = former.schema, let later = later.schema {
                compareSchemas(former, later, Place(path: place, isSent: true), isNamed: false)
            }
        }
        let isMigrated = new.version > old.version
        revise(from: known) { $0 == .breaking && !isMigrated ? .breaking : .additive }
        if isMigrated { add(.additive, place, "has a migration more: version \(new.version)") }
    }
}

import ViewModelContract

/// The differences of saved values, judged for those that the old code has saved.
extension ContractDifference {
    /// Compares a class with the one that reads its values.
    ///
    /// A new migration of the class reads those that it names.
    mutating func compareSavedValues(_ old: ContractSavingClass, _ classes: [ContractSavingClass]) {
        let place = "saved \(old.name)"
        let lost = "is saved no more, or under another name; what is saved is put aside"
        guard let new = classes.first(where: { $0.name == old.name || $0.formerNames.contains(old.name) }) else {
            return add(.breaking, place, lost)
        }
        let migrated = Set(new.migrations.dropFirst(old.migrations.count).joined())
        for former in old.values {
            let known = changes.count
            let place = "\(place).\(former.name)"
            let later =
                new.values.first { $0.name == former.name }
                ?? new.values.first { $0.formerNames.contains(former.name) }
            if later == nil { add(.breaking, place, lost) }
            if let later, later.keptFor != former.keptFor {
                add(.breaking, place, "is kept for the \(later.keptFor), not the \(former.keptFor)")
            }
            if let former = former.schema, let later = later?.schema {
                compareSchemas(former, later, Place(path: place, isSent: true), isNamed: false)
            }
            revise(from: known) { $0 == .breaking && !migrated.contains(former.name) ? .breaking : .additive }
        }
        let count = (old.migrations.count, new.migrations.count)
        if count.0 < count.1 { add(.additive, place, "has a migration more: version \(count.1)") }
        if count.0 > count.1 { add(.breaking, place, "has fewer migrations; what is saved is put aside") }
    }
}

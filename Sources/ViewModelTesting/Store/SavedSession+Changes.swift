package import ViewModelHost

extension SavedSession {
    /// Applies the changes of a save, as a store does.
    package mutating func apply(_ changes: SessionChanges) {
        if let instances = changes.instances {
            let gone = Set(self.instances.map(\.id)).subtracting(instances.map(\.id))
            self.instances = instances
            values = values.filter { key, _ in
                !gone.contains { key.owner == $0 || key.owner.hasPrefix("\($0).") }
            }
        }
        for value in changes.values { values[value.key] = value.text }
    }
}

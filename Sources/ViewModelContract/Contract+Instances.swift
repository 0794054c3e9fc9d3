extension Contract {
    /// Returns the types that an instance may have: one, or all if nothing says which.
    ///
    /// The id of a default instance is the name of its type. Clients choose other ids.
    ///
    /// - Parameters:
    ///   - instance: the id of the instance. The id of a child has the names of the children after dots.
    ///   - opened: the names of the types of the instances that clients have opened, by their ids.
    /// - Returns: the types.
    package func types(of instance: String, opened: [String: Set<String>] = [:]) -> [ContractType] {
        let known = knownTypes(of: instance, opened)
        return known.isEmpty ? types : known
    }

    /// Returns the type of a default instance, or of a child of one; nil for the ids that clients choose.
    package func type(ofInstance instance: String) -> ContractType? { knownTypes(of: instance, [:]).first }

    private func knownTypes(of instance: String, _ opened: [String: Set<String>]) -> [ContractType] {
        var path = instance.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let root = path.removeFirst()
        var names = opened[root, default: []].union([root])
        for child in path {
            names = Set(names.compactMap { type($0)?.children.first { $0.name == child }?.type })
        }
        return names.sorted().compactMap { type($0) }
    }
}

extension ContractType {
    /// The ids at which the type has instances without being opened: its default instance and its children.
    package var instances: [String] { [instance].compactMap(\.self) + childPaths }
}

/// The components of a contract that lead to themselves, by some kind of reference.
///
/// It takes linear time, and no stack for a long chain of components.
package struct ComponentCycles {
    /// The cycle of each component that is on one.
    private var cycles: [String: Int] = [:]

    /// Finds the cycles.
    ///
    /// - Parameters:
    ///   - names: the components.
    ///   - targets: returns the components to which one refers.
    package init(_ names: [String], _ targets: (String) -> [String]) {
        // The algorithm of Tarjan, with a stack of its own.
        var (indices, lowest): ([String: Int], [String: Int]) = ([:], [:])
        var (path, isOnPath): ([String], Set<String>) = ([], [])
        for root in names where indices[root] == nil {
            var open: [(name: String, rest: ArraySlice<String>)] = []
            func visit(_ name: String) {
                (indices[name], lowest[name]) = (indices.count, indices.count)
                path.append(name)
                isOnPath.insert(name)
                open.append((name, targets(name)[...]))
            }
            visit(root)
            while let (name, rest) = open.last {
                if let next = rest.first {
                    open[open.count - 1].rest = rest.dropFirst()
                    if next == name { cycles[name] = indices[name] }
                    if indices[next] == nil {
                        visit(next)
                    } else if isOnPath.contains(next) {
                        lowest[name] = min(lowest[name, default: 0], indices[next, default: 0])
                    }
                    continue
                }
                open.removeLast()
                let low = lowest[name, default: 0]
                if let outer = open.last?.name { lowest[outer] = min(lowest[outer, default: 0], low) }
                guard low == indices[name], let start = path.lastIndex(of: name) else { continue }
                let members = path[start...]
                if members.count > 1 { for member in members { cycles[member] = low } }
                isOnPath.subtract(members)
                path.removeSubrange(start...)
            }
        }
    }

    /// Returns whether a component leads to itself.
    package func contain(_ name: String) -> Bool { cycles[name] != nil }

    /// Returns whether two components lead to each other.
    package func areConnected(_ one: String, _ other: String) -> Bool {
        cycles[one].map { $0 == cycles[other] } ?? false
    }
}

/// The restorable values of a named session, which are saved and restored after the session or the daemon has ended.
///
/// Isolation: confined to its session.
package final class SavedStateRegistry {
    /// A restorable value: its owner and name, and its encoding.
    package struct Entry {
        package let owner: String
        package let name: String
        let node: Node
        let encode: () throws -> [UInt8]
        var savedVersion: Int
    }

    /// Returns the saved JSON text of an owner's value and forgets it.
    private let takeSaved: (_ owner: String, _ name: String) -> [UInt8]?
    /// The id of the instance or the name of the shared model whose values are being created.
    package var owner = ""
    private var entries: [Entry] = []
    /// Whether a value has changed since ``takeChanges(failed:)``.
    package private(set) var hasChanges = false

    package init(takeSaved: @escaping (_ owner: String, _ name: String) -> [UInt8]?) {
        self.takeSaved = takeSaved
    }

    /// Runs `body` and assigns the restorable values that it creates to an instance.
    ///
    /// If `body` throws, the values are removed.
    ///
    /// - Parameters:
    ///   - owner: the id of the instance, or the name of the shared model.
    ///   - body: creates the values.
    /// - Returns: the closure's result.
    package func owned<Result>(by owner: String, _ body: () throws -> Result) rethrows -> Result {
        let outer = self.owner
        self.owner = owner
        defer { self.owner = outer }
        do {
            return try body()
        } catch {
            entries.removeAll { $0.owner == owner }
            throw error
        }
    }

    /// Returns the saved value of a name.
    ///
    /// Returns nil if none was saved, or if it does not decode or is not valid.
    func saved<Value: Decodable>(
        _ name: String,
        as type: Value.Type,
        host: any GraphHost,
        ifValid isValid: (Value) -> Bool = { _ in true }
    ) -> Value? {
        guard let text = takeSaved(owner, name) else { return nil }
        if let value = try? host.decode(type, from: text), isValid(value) { return value }
        host.logDroppedValue(name, of: owner)
        return nil
    }

    func add(_ node: Node, name: String, encode: @escaping () throws -> [UInt8]) {
        guard !entries.contains(where: { $0.owner == owner && $0.name == name }) else {
            return node.graph.fail(.savedNameTwice(name, owner: owner))
        }
        node.isRestorable = true
        entries.append(
            Entry(owner: owner, name: name, node: node, encode: encode, savedVersion: node.version)
        )
    }

    func markChanged() {
        hasChanges = true
    }

    /// Marks values as changed again because the ones last taken could not be saved.
    package func markChanged(again lost: [(owner: String, name: String)]) {
        for index in entries.indices
        where lost.contains(where: { $0.owner == entries[index].owner && $0.name == entries[index].name }) {
            entries[index].savedVersion = -1
            hasChanges = true
        }
    }

    /// Marks all values as changed because the saved session has been erased.
    package func markAllChanged() {
        for index in entries.indices { entries[index].savedVersion = -1 }
        hasChanges = true
    }

    /// Returns the values that changed since the last call, as JSON texts.
    ///
    /// - Parameter failed: called for each value that cannot be encoded. Its last saved text stays valid.
    /// - Returns: the owner, the name and the JSON text of each changed value.
    package func takeChanges(
        failed: (_ owner: String, _ name: String, any Error) -> Void
    ) -> [(owner: String, name: String, text: [UInt8])] {
        hasChanges = false
        var changes: [(owner: String, name: String, text: [UInt8])] = []
        for index in entries.indices where entries[index].node.version != entries[index].savedVersion {
            entries[index].savedVersion = entries[index].node.version
            do {
                changes.append((entries[index].owner, entries[index].name, try entries[index].encode()))
            } catch {
                failed(entries[index].owner, entries[index].name, error)
            }
        }
        return changes
    }

    /// Releases all values because the session has ended.
    ///
    /// The saved texts are kept.
    func removeAll() {
        entries = []
    }

    /// Removes the values of an instance that was closed.
    ///
    /// - Parameter owner: the id of the instance.
    /// - Returns: the names of the values.
    package func forget(_ owner: String) -> [String] {
        defer { entries.removeAll { $0.owner == owner } }
        return entries.filter { $0.owner == owner }.map(\.name)
    }
}

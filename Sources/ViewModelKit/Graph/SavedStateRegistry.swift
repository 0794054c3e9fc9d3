/// Restorable values: what a named session finds again after it ended or the daemon did.
///
/// Isolation: confined to its session.
package final class SavedStateRegistry {
    /// A restorable value: where it belongs, and how it is written down.
    package struct Entry {
        package let owner: String
        package let name: String
        let node: Node
        let encode: () throws -> [UInt8]
        var savedVersion: Int
    }

    /// Finds what was saved under a name of an owner, once.
    private let takeSaved: (_ owner: String, _ name: String) -> [UInt8]?
    /// The instance whose values are being made, `""` for what the session's ViewModels share.
    package var owner = ""
    private var entries: [Entry] = []
    /// Whether a value has changed since ``takeChanges()``.
    package private(set) var hasChanges = false

    package init(takeSaved: @escaping (_ owner: String, _ name: String) -> [UInt8]?) {
        self.takeSaved = takeSaved
    }

    /// Makes what `body` makes belong to an instance.
    package func owned<Result>(by owner: String, _ body: () throws -> Result) rethrows -> Result {
        let outer = self.owner
        self.owner = owner
        defer { self.owner = outer }
        return try body()
    }

    /// The saved value of a name, if there is one that fits.
    func saved<Value: Decodable>(
        _ name: String,
        as type: Value.Type,
        host: any GraphHost,
        ifSound isSound: (Value) -> Bool = { _ in true }
    ) -> Value? {
        guard let text = takeSaved(owner, name) else { return nil }
        do {
            let value = try host.decode(type, from: text)
            guard isSound(value) else { throw UnsoundValue() }
            return value
        } catch {
            host.dropped(name, of: owner, because: error)
            return nil
        }
    }

    func add(_ node: Node, name: String, encode: @escaping () throws -> [UInt8]) {
        assert(
            !entries.contains { $0.owner == owner && $0.name == name },
            "two restorable values of \(owner.isEmpty ? "the session" : owner) are called \(name)"
        )
        node.isRestorable = true
        entries.append(
            Entry(owner: owner, name: name, node: node, encode: encode, savedVersion: node.version)
        )
    }

    func noteChange() {
        hasChanges = true
    }

    /// Takes note that what was taken has not been saved after all.
    package func changesWereLost(_ lost: [(owner: String, name: String)]) {
        for index in entries.indices
        where lost.contains(where: { $0.owner == entries[index].owner && $0.name == entries[index].name }) {
            entries[index].savedVersion = -1
            hasChanges = true
        }
    }

    /// Takes note that nothing is saved any more.
    package func allWasLost() {
        for index in entries.indices { entries[index].savedVersion = -1 }
        hasChanges = true
    }

    /// The values that changed since they were taken last, as JSON texts.
    ///
    /// - Parameter failed: called for each value that cannot be encoded; what was saved of it before stays.
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

    /// Releases all values, because the session has ended; what was saved of them stays.
    func removeAll() {
        entries = []
    }

    /// Forgets the values of an instance that is no more.
    ///
    /// - Returns: their names.
    package func forget(_ owner: String) -> [String] {
        defer { entries.removeAll { $0.owner == owner } }
        return entries.filter { $0.owner == owner }.map(\.name)
    }
}

/// A saved value that decodes but cannot be right.
private struct UnsoundValue: Error {}

/// The restorable values of a session: its own ones, and those that last for its user or for the daemon.
///
/// A changed value of the session is saved within the save interval. One of the user or of the daemon is published after
/// its step: the host keeps it and passes it to the other sessions that have it.
///
/// Isolation: confined to its session.
package final class RestorableValues {
    private struct Entry {
        /// The cell of a value of the session, which is saved as long as its instance lives.
        let retained: Node?
        /// The cell of another value.
        ///
        /// An object with weak references costs several times as much to retain.
        weak var weakNode: Node?
        let key: RestorableKey
        let encode: () throws -> [UInt8]
        let decode: ([UInt8]) throws -> Void
        /// The version of the node that was saved or published.
        var version: Int
        /// The revision of the value in the host.
        var revision: Int
        var node: Node? { retained ?? weakNode }
    }

    /// The id of an instance or the name of a shared model, and the name of its type.
    package typealias Owner = (id: String, type: String)

    private unowned let graph: Graph
    private var entries: [Entry] = []
    /// The object whose values are being created.
    private var owner = Owner("", "")
    /// Whether a value of the session has changed since ``takeChanges()``.
    package private(set) var hasChanges = false
    private var isPublishing = false

    init(graph: Graph) {
        self.graph = graph
    }

    /// Runs `body` and assigns the restorable values that it creates to an owner.
    ///
    /// If `body` throws, the values of the session are removed.
    func owned<Result>(by owner: Owner, _ body: () throws -> Result) rethrows -> Result {
        let outer = self.owner
        self.owner = owner
        defer { self.owner = outer }
        do {
            return try body()
        } catch {
            entries.removeAll { $0.key.isOfSession(owner.id) }
            throw error
        }
    }

    /// Returns the kept value of a name.
    ///
    /// The value is nil if none was kept, or if it does not decode, which the log names.
    func kept<Value: Decodable>(
        _ name: String,
        in persistence: Persistence,
        as type: Value.Type
    ) -> (key: RestorableKey, value: Value?, revision: Int) {
        let owner = persistence == .session ? owner.id : owner.type
        let key = RestorableKey(persistence: persistence, owner: owner, name: name)
        guard let kept = graph.host.keptValue(key) else { return (key, nil, 0) }
        if let value = try? Graph.decode(type, from: kept.text) {
            return (key, value, kept.revision)
        }
        graph.host.logDroppedValue(key)
        return (key, nil, kept.revision)
    }

    /// Adds the cell of a value, which has the given revision.
    ///
    /// The cell of a value of the session is retained. `write` writes a value of another session into the cell.
    func add<Value: Codable>(
        _ cell: Signal<Value>,
        _ key: RestorableKey,
        revision: Int,
        write: @escaping (Value) -> Void
    ) {
        let isOfSession = key.persistence == .session
        if isOfSession, entries.contains(where: { $0.key == key }) {
            return graph.fail(.savedNameTwice(key.name, owner: key.owner))
        }
        entries.removeAll { $0.node == nil }
        cell.persistence = key.persistence
        entries.append(
            Entry(
                retained: isOfSession ? cell : nil,
                weakNode: isOfSession ? nil : cell,
                key: key,
                encode: { [unowned cell, unowned graph] in try graph.encode(cell.untracked) },
                decode: { write(try Graph.decode(Value.self, from: $0)) },
                version: cell.version,
                revision: revision
            )
        )
    }

    /// Schedules the save of a changed value, or its publication after the running step.
    ///
    /// The step may change no output.
    func markChanged(_ persistence: Persistence) {
        if persistence == .session {
            guard !hasChanges else { return }
            hasChanges = true
            graph.afterCommit { self.graph.host.scheduleSave() }
        } else {
            guard !isPublishing else { return }
            isPublishing = true
            graph.afterCommit { self.publish() }
        }
    }

    /// Returns the JSON text of a value that has changed since it was last saved or published.
    ///
    /// A value that cannot be encoded is an incident. Its last text stays valid.
    private func takeChange(at index: Int) -> [UInt8]? {
        guard let node = entries[index].node, node.version != entries[index].version else { return nil }
        entries[index].version = node.version
        do {
            return try entries[index].encode()
        } catch {
            let key = entries[index].key
            let verb = key.persistence == .session ? "saved" : "kept"
            _ = graph.host.incident(error, in: "encoding what is \(verb) of \(key.owner).\(key.name)")
            return nil
        }
    }

    private func publish() {
        isPublishing = false
        for index in entries.indices where entries[index].retained == nil {
            guard let text = takeChange(at: index) else { continue }
            entries[index].revision = graph.host.keep(text, as: entries[index].key)
        }
    }

    /// Writes values that another session has published, in a step of their own.
    ///
    /// A value that is newer in this session stays.
    package func adopt(_ values: [(key: RestorableKey, text: [UInt8], revision: Int)]) {
        let newer = values.filter { value in
            entries.contains { $0.key == value.key && $0.revision < value.revision }
        }
        guard !newer.isEmpty else { return }
        graph.step {
            for (key, text, revision) in newer {
                for index in entries.indices where entries[index].key == key && entries[index].revision < revision {
                    entries[index].revision = revision
                    guard let node = entries[index].node else { continue }
                    do {
                        try entries[index].decode(text)
                    } catch {
                        graph.host.logDroppedValue(key)
                    }
                    entries[index].version = node.version
                }
            }
        }
    }

    /// Returns the JSON texts of the session's values that changed since the last call.
    package func takeChanges() -> [(key: RestorableKey, text: [UInt8])] {
        hasChanges = false
        return entries.indices.compactMap { index in
            guard entries[index].retained != nil else { return nil }
            return takeChange(at: index).map { (entries[index].key, $0) }
        }
    }

    /// Marks all values of the session as changed because the saved session has been erased.
    package func markAllChanged() {
        for index in entries.indices where entries[index].retained != nil { entries[index].version = -1 }
        hasChanges = true
    }

    /// Removes the session's values of an instance that was closed.
    package func forget(_ instance: String) -> [String] {
        defer { entries.removeAll { $0.key.isOfSession(instance) } }
        return entries.filter { $0.key.isOfSession(instance) }.map(\.key.name)
    }

    /// Releases the session's values because it has ended.
    ///
    /// The saved texts are kept.
    func removeAll() {
        entries.removeAll { $0.retained != nil }
    }
}

/// The identity of a restorable value.
package struct RestorableKey: Hashable, Sendable {
    package let persistence: Persistence
    /// The id of the instance for a value of the session, else the name of the ViewModel type; or the name of the shared
    /// model.
    package let owner: String
    package let name: String

    package init(persistence: Persistence, owner: String, name: String) {
        self.persistence = persistence
        self.owner = owner
        self.name = name
    }

    fileprivate func isOfSession(_ instance: String) -> Bool { persistence == .session && owner == instance }
}

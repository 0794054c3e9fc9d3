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
        /// Writes a value of another session, and returns why the text does not decode or has more than the value.
        let read: ([UInt8]) -> String?
        /// The version of the node that was saved or published.
        var version: Int
        /// The revision of the value in the host.
        var revision: Int
        /// What the next save or publication must not overwrite, and what it replaces.
        var earlier: Earlier
        var node: Node? { retained ?? weakNode }
    }

    /// Saved values that a cell has not read completely, or has taken over from other keys.
    struct Earlier {
        /// The text under the cell's key, which is put aside before the cell's value replaces it.
        var unread: [UInt8]?
        /// The other key, from which the cell has its value; it is erased when that is saved.
        var source: RestorableKey?
    }

    /// A value that was kept for a cell.
    struct Kept<Value> {
        let key: RestorableKey
        var value: Value?
        let revision: Int
        var earlier = Earlier()
    }

    /// The id of an instance or the name of a shared model, and the name of its type.
    package typealias Owner = (id: String, type: String)

    private unowned let graph: Graph
    private var entries: [Entry] = []
    /// The object whose values are being created, and their keys.
    private var (owner, keys) = (Owner("", ""), [RestorableKey]())
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
        let outer = (self.owner, keys)
        (self.owner, keys) = (owner, [])
        defer { (self.owner, keys) = outer }
        do {
            let result = try body()
            graph.host.restored(owner, keys)
            return result
        } catch {
            entries.removeAll { $0.key.isOfSession(owner.id) }
            throw error
        }
    }

    /// Returns the kept value of a name.
    ///
    /// If none was kept, or if it does not decode, it is the first of those that were put aside, or that were kept under a
    /// former name, that does. The host reports each value that is not read completely. It stays in the store until the
    /// cell is written, and is put aside then.
    func kept<Value: Decodable>(
        _ name: String,
        formerly former: [String],
        in persistence: Persistence,
        as type: Value.Type
    ) -> Kept<Value> {
        let key = RestorableKey(
            persistence: persistence,
            owner: persistence == .session ? owner.id : owner.type,
            name: name
        )
        keys.append(key)
        let saved = graph.host.keptValue(key)
        var kept = Kept<Value>(key: key, revision: saved?.revision ?? 0)
        if let saved {
            let reading = graph.read(type, from: saved.text)
            kept.value = reading.value
            if let problem = reading.problem {
                kept.earlier.unread = saved.text
                graph.host.report(unread: key, of: owner.type, problem)
            }
        }
        for (other, text) in graph.host.otherValues(of: key, formerly: former) {
            let reading = graph.read(type, from: text)
            var problem = reading.problem
            if kept.value == nil, reading.value != nil {
                kept.value = reading.value
                if problem == nil { kept.earlier.source = other }
            } else if problem == nil {
                problem = "another value is saved as \(name)"
            }
            if let problem { graph.host.report(unread: other, of: owner.type, problem) }
        }
        return kept
    }

    /// Returns whether a cell has the value of a key, which it may have taken over from there.
    package func reads(_ key: RestorableKey) -> Bool {
        entries.contains { $0.key == key || $0.earlier.source == key }
    }

    /// Adds the cell of a value.
    ///
    /// The cell of a value of the session is retained. `write` writes a value of another session into the cell.
    func add<Value: Codable>(_ cell: Signal<Value>, _ kept: Kept<Value>, write: @escaping (Value) -> Void) {
        let key = kept.key
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
                read: { [unowned graph] text in
                    let reading = graph.read(Value.self, from: text)
                    if let value = reading.value { write(value) }
                    return reading.problem
                },
                version: cell.version,
                revision: kept.revision,
                earlier: kept.earlier
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
            let text = try entries[index].encode()
            if let unread = entries[index].earlier.unread.take() { graph.host.putAside(unread, of: entries[index].key) }
            return text
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
            if let source = entries[index].earlier.source.take() { graph.host.erase(source) }
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
                    let problem = entries[index].read(text)
                    entries[index].earlier = Earlier(unread: problem == nil ? nil : text)
                    if let problem { graph.host.report(unread: key, of: key.owner, problem) }
                    entries[index].version = node.version
                }
            }
        }
    }

    /// Returns the JSON texts of the session's values that changed since the last call.
    package func takeChanges() -> [(key: RestorableKey, text: [UInt8])] {
        hasChanges = false
        return entries.indices.compactMap { index in
            guard entries[index].retained != nil, let text = takeChange(at: index) else { return nil }
            if let source = entries[index].earlier.source.take() { graph.host.erase(source) }
            return (entries[index].key, text)
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

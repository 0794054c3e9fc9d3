internal import Digests

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
        var key: RestorableKey
        /// The name of the owner's type.
        let type: String
        let formerNames: [String]
        let initial: Any
        let encode: () throws -> [UInt8]
        /// Writes a value of another session, or the initial one for nil, and returns why the text does not decode or has
        /// more than the value.
        let read: ([UInt8]?) -> String?
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
        /// The other key, from which the cell has its value, and its revision; it is erased when that is saved.
        var source: (key: RestorableKey, revision: Int?)?
    }

    /// A value that was kept for a cell.
    struct Kept<Value> {
        let key: RestorableKey
        /// The name of the owner's type.
        let type: String
        let formerNames: [String]
        var value: Value?
        let revision: Int
        var earlier = Earlier()
    }

    /// An object that has restorable values.
    package struct Owner: Sendable {
        /// The id of an instance, or the name of a shared model.
        package let id: String
        /// The name of its type.
        package let type: String
        /// The former names of the type.
        package let formerNames: [String]
        /// The changes of values that earlier versions of the type have saved.
        package let migrations: [SavedMigration]

        /// Creates the owner of the values of an object, whose class is nil if it is unknown.
        package init(_ id: String, of type: String, formerNames: [String] = [], _ class: (any SavingValues.Type)? = nil)
        {
            self.id = id
            self.type = type
            self.formerNames = formerNames
            migrations = `class`?.migrations ?? []
        }

        /// Whether the values have no other names or forms than the present ones.
        package var isPrepared: Bool { formerNames.isEmpty && migrations.isEmpty }

        /// Runs the changes that were added since a version.
        package func migrate(_ values: inout SavedValues, from version: Int) throws {
            for migration in migrations.dropFirst(version) { try migration.change(&values) }
        }
    }

    private unowned let graph: Graph
    private var entries: [Entry] = []
    /// The object whose values are being created.
    private var owner = Owner("", of: "")
    /// The keys of the values that have been created for it.
    private var keys: [RestorableKey] = []
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
        graph.host.prepare(owner)
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
        return kept(key, formerly: former, of: owner.type)
    }

    private func kept<Value: Decodable>(
        _ key: RestorableKey,
        formerly former: [String],
        of type: String
    ) -> Kept<Value> {
        let saved = graph.host.keptValue(key)
        var kept = Kept<Value>(key: key, type: type, formerNames: former, revision: saved?.revision ?? 0)
        if let saved {
            let reading = SavedReading<Value>(saved.text)
            kept.value = reading.value
            if let problem = reading.problem {
                kept.earlier.unread = saved.text
                graph.host.report(unread: key, of: type, problem)
            }
        }
        for (other, text) in graph.host.otherValues(of: key, formerly: former) {
            let reading = SavedReading<Value>(text)
            var problem = reading.problem
            if kept.value == nil, reading.value != nil {
                kept.value = reading.value
                if problem == nil { kept.earlier.source = (other, graph.host.keptValue(other)?.revision) }
            } else if problem == nil {
                problem = "another value is saved as \(key.baseName)"
            }
            if let problem { graph.host.report(unread: other, of: type, problem) }
        }
        return kept
    }

    /// Returns whether a cell has the name of a key, or had it.
    package func reads(_ key: RestorableKey) -> Bool {
        entries.contains { entry in
            entry.key.persistence == key.persistence && entry.key.owner == key.owner
                && (entry.key.baseName == key.baseName || entry.formerNames.contains(key.baseName))
        }
    }

    /// Adds the cell of a value.
    ///
    /// The cell of a value of the session is retained. `write` writes a value of another session into the cell.
    func add<Value: Codable>(
        _ cell: Signal<Value>,
        _ kept: Kept<Value>,
        else initial: Value,
        write: @escaping (Value) -> Void
    ) {
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
                type: kept.type,
                formerNames: kept.formerNames,
                initial: initial,
                encode: { [unowned cell, unowned graph] in try graph.encode(cell.untracked) },
                read: { text in
                    guard let text else {
                        write(initial)
                        return nil
                    }
                    let reading = SavedReading<Value>(text)
                    if let value = reading.value { write(value) }
                    return reading.problem
                },
                version: cell.version,
                revision: kept.revision,
                earlier: kept.earlier
            )
        )
    }

    /// Lets a cell have the value that is kept under a key below its name.
    ///
    /// The value of the former key stays under that, unless it is the initial one.
    func select<Value: Codable & Equatable>(_ key: String, of cell: Signal<Value>, write: (Value) -> Void) {
        guard graph.mayWrite(cell) else { return }
        guard let index = entries.firstIndex(where: { $0.node === cell }),
            let initial = entries[index].initial as? Value
        else { return graph.fail(.notSaved, of: cell) }
        let (former, next) = (entries[index].key, entries[index].key.below(key))
        guard former != next else { return }
        if former.persistence == .session, entries.contains(where: { $0.key == next }) {
            return graph.fail(.savedNameTwice(next.baseName, owner: next.owner))
        }
        let isInitial = areExactlyEqual(cell.untracked, initial)
        if graph.isWiring, former.name == former.baseName, cell.version == entries[index].version, !isInitial {
            let problem = "it has no key, and the value is kept for a key from the beginning"
            graph.host.report(unread: former, of: entries[index].type, problem)
        }
        leave(index, former, isInitial: isInitial)
        let names = entries[index].formerNames.map(next.belowName)
        let kept: Kept<Value> = self.kept(next, formerly: names, of: entries[index].type)
        write(kept.value ?? initial)
        entries[index].key = next
        (entries[index].revision, entries[index].earlier) = (kept.revision, kept.earlier)
        entries[index].version = cell.version
    }

    /// Keeps the value of a cell that gets another key.
    private func leave(_ index: Int, _ key: RestorableKey, isInitial: Bool) {
        let change = takeChange(at: index)
        var isKept = change != nil
        if let unread = entries[index].earlier.unread {
            // The memory of the session has no copy.
            if key.persistence == .session { graph.host.set(unread, key) }
        } else if isInitial {
            // A change wins over what another session has kept meanwhile.
            let kept = graph.host.keptValue(key)
            if isKept || kept != nil { graph.host.erase(key, at: isKept ? nil : entries[index].revision) }
        } else if key.persistence == .session {
            let text = change ?? (try? entries[index].encode())
            if let text {
                graph.host.set(text, key)
                isKept = true
            }
        } else if let change {
            _ = graph.host.keep(change, as: key)
        }
        if isKept { eraseSource(at: index) }
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
    /// A value that cannot be encoded is an incident. Its last text stays valid, and so does one that is not read and
    /// cannot be put aside.
    private func takeChange(at index: Int) -> [UInt8]? {
        guard !graph.hasMadeUpValues, let node = entries[index].node, node.version != entries[index].version else {
            return nil
        }
        entries[index].version = node.version
        do {
            let text = try entries[index].encode()
            if let unread = entries[index].earlier.unread {
                guard graph.host.putAside(unread, of: entries[index].key, of: entries[index].type) else { return nil }
                entries[index].earlier.unread = nil
            }
            return text
        } catch {
            let key = entries[index].key
            let verb = key.persistence == .session ? "saved" : "kept"
            _ = graph.host.incident(error, in: "encoding what is \(verb) of \(key.owner).\(key.baseName)")
            return nil
        }
    }

    /// Erases the value of another key, which a cell has taken over, unless another daemon has saved a later one.
    private func eraseSource(at index: Int) {
        if let source = entries[index].earlier.source.take() { graph.host.erase(source.key, at: source.revision) }
    }

    private func publish() {
        isPublishing = false
        for index in entries.indices where entries[index].retained == nil {
            guard let text = takeChange(at: index) else { continue }
            entries[index].revision = graph.host.keep(text, as: entries[index].key)
            eraseSource(at: index)
        }
    }

    /// Writes values that another session has published, in a step of their own.
    ///
    /// A value that is newer in this session stays. One that was erased is the initial one.
    package func adopt(_ values: [(key: RestorableKey, text: [UInt8]?, revision: Int)]) {
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
            eraseSource(at: index)
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

    /// Separates a name from the key below it; no author's name has it.
    private static let separator: Character = "\u{1}"

    /// The name without the key below it.
    var baseName: String { String(name.prefix { $0 != Self.separator }) }

    /// The most characters of a key below a name: databases limit the length of what they index.
    private static let longestKey = 512

    /// Returns the key below the name of the value.
    ///
    /// Clients may have chosen it. Stores get printable ASCII, and the digest of a long key.
    package func below(_ key: String) -> RestorableKey {
        var text = PercentText.encode(key.utf8)
        // No text of a key has a space.
        if text.utf8.count > Self.longestKey { text = "sha256 \(SHA256.hash(Array(key.utf8)).hexadecimal)" }
        return RestorableKey(persistence: persistence, owner: owner, name: "\(baseName)\(Self.separator)\(text)")
    }

    /// Returns another name with the same key below it.
    fileprivate func belowName(_ other: String) -> String { other + name.dropFirst(baseName.count) }

    fileprivate func isOfSession(_ instance: String) -> Bool { persistence == .session && owner == instance }
}

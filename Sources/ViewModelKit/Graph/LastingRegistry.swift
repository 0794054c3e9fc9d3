/// The values of a session that last for its user or for the daemon.
///
/// A changed value is published after its step. The host keeps it and passes it to the other sessions that have it.
///
/// Isolation: confined to its session.
package final class LastingRegistry {
    private struct Entry {
        weak var node: Node?
        let key: LastingKey
        let encode: () throws -> [UInt8]?
        let decode: ([UInt8]) throws -> Void
        /// The version of the node that the host has.
        var publishedVersion: Int
        /// The revision of the value in the host.
        var revision: Int
    }

    private unowned let graph: Graph
    private var entries: [Entry] = []
    private var isPublishing = false

    init(graph: Graph) {
        self.graph = graph
    }

    /// Returns the kept value of a key and its revision.
    ///
    /// The value is nil if none was kept, or if it does not decode any more, which the log names.
    func kept<Value: Decodable>(_ key: LastingKey, as type: Value.Type) -> (value: Value?, revision: Int) {
        guard let kept = graph.host.keptValue(key) else { return (nil, 0) }
        if let value = try? graph.host.decode(type, from: kept.text) { return (value, kept.revision) }
        graph.host.logDroppedValue(key.name, of: key.owner)
        return (nil, kept.revision)
    }

    /// Adds a value.
    ///
    /// - Parameters:
    ///   - node: the cell, which is not retained.
    ///   - key: the value's key.
    ///   - revision: the revision with which the cell was created.
    ///   - encode: returns the value as JSON text.
    ///   - decode: writes the value of a JSON text into the cell, in a step.
    func add(
        _ node: Node,
        _ key: LastingKey,
        revision: Int,
        encode: @escaping () throws -> [UInt8]?,
        decode: @escaping ([UInt8]) throws -> Void
    ) {
        entries.removeAll { $0.node == nil }
        node.isRestorable = true
        node.isLasting = true
        entries.append(
            Entry(
                node: node,
                key: key,
                encode: encode,
                decode: decode,
                publishedVersion: node.version,
                revision: revision
            )
        )
    }

    /// Publishes the changed values after the running step.
    func markChanged() {
        guard !isPublishing else { return }
        isPublishing = true
        graph.afterCommit { self.publish() }
    }

    private func publish() {
        isPublishing = false
        for index in entries.indices {
            guard let node = entries[index].node, node.version != entries[index].publishedVersion else { continue }
            entries[index].publishedVersion = node.version
            let key = entries[index].key
            do {
                guard let text = try entries[index].encode() else { continue }
                entries[index].revision = graph.host.keep(text, as: key)
            } catch {
                _ = graph.host.incident(error, in: "encoding what is kept of \(key.owner).\(key.name)")
            }
        }
    }

    /// Writes a value that another session has published, in a step of its own.
    ///
    /// - Parameters:
    ///   - text: the value as JSON text.
    ///   - key: the value's key.
    ///   - revision: its revision. A value that is newer in this session stays.
    package func adopt(_ text: [UInt8], as key: LastingKey, revision: Int) {
        let outdated = entries.indices.filter { entries[$0].key == key && entries[$0].revision < revision }
        guard !outdated.isEmpty else { return }
        graph.step {
            for index in outdated {
                entries[index].revision = revision
                do {
                    try entries[index].decode(text)
                } catch {
                    graph.host.logDroppedValue(key.name, of: key.owner)
                }
                if let node = entries[index].node { entries[index].publishedVersion = node.version }
            }
        }
    }
}

/// The identity of a value that outlasts sessions.
package struct LastingKey: Hashable, Sendable {
    /// Whether the value belongs to the whole daemon, not to one user.
    package let isOfDaemon: Bool
    /// The name of the ViewModel type or of the shared model.
    package let owner: String
    /// The value's name.
    package let name: String

    package init(isOfDaemon: Bool, owner: String, name: String) {
        self.isOfDaemon = isOfDaemon
        self.owner = owner
        self.name = name
    }
}

extension Graph {
    /// Returns the key of a value of the ViewModel that is being wired, or nil for a value of the session itself.
    func lastingKey(_ name: String, in persistence: Persistence) -> LastingKey? {
        switch persistence {
        case .session: nil
        case .user: LastingKey(isOfDaemon: false, owner: lastingOwner, name: name)
        case .daemon: LastingKey(isOfDaemon: true, owner: lastingOwner, name: name)
        }
    }
}

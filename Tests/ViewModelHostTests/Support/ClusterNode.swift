import Synchronization
import ViewModelHost
import ViewModelProtocol
import ViewModelTesting

/// The store and the placement of one host, in a database that others use, too.
final class ClusterNode: Store, SessionPlacement {
    let name: String
    private let cluster: Cluster

    init(_ cluster: Cluster, _ name: String) {
        self.cluster = cluster
        self.name = name
    }

    // MARK: Placement

    func start(_ handle: @escaping @Sendable (PlacementEvent) -> Void) {
        cluster.change { $0.handlers[name] = handle }
    }

    func stopClaiming() {
        cluster.change { _ = $0.stopped.insert(name) }
    }

    private enum Attempt {
        case done(AcquiredSession?, loser: Cluster.Owner?)
        case asks(Cluster.Owner)
    }

    func acquire(_ key: SessionKey, _ mode: ClaimMode, mayCreate: Bool) async throws -> AcquiredSession? {
        let timeouts = cluster.access { $0.timeouts }
        var hasAsked = false
        while true {
            let next = try access(wakes: false) { state -> Attempt in
                if state.timeouts != timeouts || state.stopped.contains(name) {
                    throw StoreUnavailable("the owner does not answer")
                }
                return try attempt(key, mode, mayCreate: mayCreate || hasAsked, in: &state)
            }
            switch next {
            case .done(let outcome, let loser):
                cluster.wake()
                if let loser, loser.node != name {
                    cluster.deliver(.lost(key, loser.fence, node: name), to: loser.node)
                }
                return outcome
            case .asks(let owner):
                hasAsked = true
                cluster.deliver(.requested(key, owner.fence, mode, node: name), to: owner.node)
                await cluster.wait { state in
                    state.owners[key] != owner || state.expired.contains(owner.node) || state.timeouts != timeouts
                        || state.stopped.contains(name)
                }
            }
        }
    }

    private func attempt(
        _ key: SessionKey,
        _ mode: ClaimMode,
        mayCreate: Bool,
        in state: inout Cluster.State
    ) throws -> Attempt {
        let owner = state.owners[key]
        if let owner, owner.node != name, !state.expired.contains(owner.node) {
            if mode == .ifUnused, let attached = owner.summary?.attached, attached > 0 {
                throw ProtocolError.sessionInUse(node: owner.node, attached: attached)
            }
            return .asks(owner)
        }
        let saved = state.saved[key]
        guard owner != nil || saved != nil || mayCreate else { return .done(nil, loser: nil) }
        state.lastFence += 1
        let fence = SessionFence(state.lastFence)
        state.owners[key] = Cluster.Owner(node: name, fence: fence)
        return .done(AcquiredSession(fence: fence, saved: saved), loser: owner)
    }

    func release(_ key: SessionKey, under fence: SessionFence) async throws {
        try access { state in
            guard state.owners[key]?.fence == fence else { return }
            state.owners[key] = nil
            state.released.insert(fence)
        }
    }

    func report(_ summary: SessionSummary, of key: SessionKey, under fence: SessionFence) async throws {
        try access { state in
            if state.owners[key]?.fence == fence { state.owners[key]?.summary = summary }
        }
    }

    func sessionsElsewhere(of uid: UInt32?) async throws -> [RemoteSession] {
        try access(wakes: false) { state in
            state.owners.compactMap { key, owner in
                guard owner.node != name, uid == nil || key.uid == uid, !state.expired.contains(owner.node) else {
                    return nil
                }
                return RemoteSession(key: key, node: owner.node, summary: owner.summary)
            }
        }
    }

    let digestKey = Array("key ".utf8)

    /// Lets tests see what is digested.
    func digest(of text: [UInt8]) -> [UInt8] { digestKey + text }

    // MARK: Store

    func save(_ changes: SessionChanges) async throws {
        while !cluster.access({ $0.letOne(name) }) {
            await cluster.wait { state in state.lets(self.name) }
        }
        try write(changes.key, under: changes.fence) { state in
            if state.failing.contains(name) || state.failingOnce.remove(name) != nil {
                throw StoreUnavailable("the save fails")
            }
            if state.saved[changes.key] == nil, !changes.isComplete { throw SessionForgotten() }
            state.saved[changes.key, default: SavedSession()].apply(changes)
        }
    }

    func erase(_ key: SessionKey, under fence: SessionFence) async throws {
        try write(key, under: fence) { state in
            state.saved[key] = nil
            state.owners[key] = nil
            state.released.insert(fence)
        }
    }

    func touch(_ key: SessionKey) async throws { try access(wakes: false) { _ in } }

    func loadValues(of area: ValueArea) async throws -> [SavedValue.Key: [UInt8]] {
        try access(wakes: false) { $0.values[area] ?? [:] }
    }

    func save(_ changes: [LastingChange], of area: ValueArea) async throws -> [SavedValue.Key: [UInt8]] {
        while cluster.access({ $0.valuesHeld.contains(name) }) {
            await cluster.wait { state in !state.valuesHeld.contains(self.name) }
        }
        return try access { state in
            var newer: [SavedValue.Key: [UInt8]] = [:]
            for change in changes {
                let stored = state.values[area]?[change.key]
                if change.isOlder(than: stored) {
                    newer[change.key] = stored
                } else {
                    state.values[area, default: [:]][change.key] = change.text
                }
            }
            return newer
        }
    }

    func eraseUnused(forDays days: Int) async throws {}

    private func write(
        _ key: SessionKey,
        under fence: SessionFence,
        _ body: (inout Cluster.State) throws -> Void
    ) throws {
        try access { state in
            guard state.owners[key]?.fence == fence else {
                if state.released.contains(fence) { state.lateWrites += 1 }
                throw SessionMoved(to: state.owners[key]?.node)
            }
            try body(&state)
        }
    }

    /// Reads or changes the database, unless the node is cut off from it.
    private func access<Result: Sendable>(
        wakes: Bool = true,
        _ body: (inout Cluster.State) throws -> Result
    ) throws -> Result {
        let result = try cluster.access { state in
            guard !state.cutOff.contains(name) else { throw StoreUnavailable("the node is cut off") }
            return try body(&state)
        }
        if wakes { cluster.wake() }
        return result
    }
}

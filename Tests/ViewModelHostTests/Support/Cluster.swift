import Synchronization
import ViewModelHost
import ViewModelTesting

/// A database in memory that several hosts share: saved sessions, their owners, and the leases of the boots.
///
/// It keeps the promises of ``SessionPlacement``. Time does not pass in it: the test ends leases and waits.
final class Cluster: Sendable {
    struct Owner: Equatable {
        let node: String
        let fence: SessionFence
        var summary: SessionSummary?
    }

    struct State {
        var saved: [SessionKey: SavedSession] = [:]
        var values: [ValueArea: [SavedValue.Key: [UInt8]]] = [:]
        var owners: [SessionKey: Owner] = [:]
        var lastFence: Int64 = 0
        var handlers: [String: @Sendable (PlacementEvent) -> Void] = [:]
        /// The nodes whose lease has expired.
        var expired: Set<String> = []
        /// The nodes that cannot reach the database.
        var cutOff: Set<String> = []
        /// The nodes that claim no more.
        var stopped: Set<String> = []
        /// The nodes whose saves wait.
        var held: Set<String> = []
        /// The nodes whose saves of values that outlast sessions wait.
        var valuesHeld: Set<String> = []
        /// The saves that may go although saves of their node wait.
        var passes: [String: Int] = [:]
        /// The nodes whose saves fail, and those that get no events.
        var failing: Set<String> = []
        /// The nodes whose next save fails.
        var failingOnce: Set<String> = []
        var deaf: Set<String> = []
        /// The events for nodes that cannot be reached.
        var undelivered: [(node: String, event: PlacementEvent)] = []
        var waiting: [CheckedContinuation<Void, Never>] = []
        /// The number of times that the test has let the waiting claims run out of time.
        var timeouts = 0
        /// The number of changes.
        var version = 0
        /// The writes that came under a fence after its owner had released or erased the session.
        var lateWrites = 0
        var released: Set<SessionFence> = []

        /// Whether a node may save.
        func lets(_ node: String) -> Bool { !held.contains(node) || passes[node, default: 0] > 0 }

        /// Whether a node may save, which uses up a pass.
        mutating func letOne(_ node: String) -> Bool {
            guard held.contains(node) else { return true }
            guard passes[node, default: 0] > 0 else { return false }
            passes[node, default: 0] -= 1
            return true
        }
    }

    private let state = Mutex(State())

    func node(_ name: String) -> ClusterNode { ClusterNode(self, name) }

    /// Changes the database, and lets everything that waits look again.
    func change<Result: Sendable>(_ body: (inout State) throws -> Result) rethrows -> Result {
        let result = try access(body)
        wake()
        return result
    }

    /// Reads or changes the database.
    func access<Result: Sendable>(_ body: (inout State) throws -> Result) rethrows -> Result {
        try state.withLock { state in try body(&state) }
    }

    /// Lets everything that waits look again.
    func wake() {
        let waiting = access { state in
            defer { state.waiting = [] }
            state.version += 1
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    var owners: [SessionKey: Owner] { state.withLock { $0.owners } }
    var version: Int { state.withLock { $0.version } }
    var lateWrites: Int { state.withLock { $0.lateWrites } }

    /// Waits for the next change, unless the condition holds.
    func wait(unless condition: (State) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if condition(state) { return true }
                state.waiting.append(continuation)
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    // MARK: What happens to nodes

    /// Ends the lease of a node, as if it had not renewed it for its duration.
    func expireLease(of node: String) { change { _ = $0.expired.insert(node) } }

    /// Cuts a node off from the database.
    ///
    /// Its lease goes on.
    func cutOff(_ node: String) { change { _ = $0.cutOff.insert(node) } }

    /// Connects a node again: it renews its lease, and learns what it has lost.
    func reconnect(_ node: String) {
        let events = change { state in
            state.cutOff.remove(node)
            state.expired.remove(node)
            state.failing.remove(node)
            state.deaf.remove(node)
            defer { state.undelivered.removeAll { $0.node == node } }
            return state.undelivered.filter { $0.node == node }
        }
        for (_, event) in events { deliver(event, to: node) }
    }

    /// Holds the saves of a node until they are let go.
    func holdSaves(of node: String) { change { _ = $0.held.insert(node) } }

    /// Holds the saves of a node's values that outlast sessions until they are let go.
    func holdValues(of node: String) { change { _ = $0.valuesHeld.insert(node) } }

    func letValuesGo(of node: String) { change { _ = $0.valuesHeld.remove(node) } }

    func letOneSaveGo(of node: String) { change { $0.passes[node, default: 0] += 1 } }

    func letSavesGo(of node: String) { change { _ = $0.held.remove(node) } }

    /// Lets the saves of a node fail until it is connected again.
    func failSaves(of node: String) { change { _ = $0.failing.insert(node) } }

    func failNextSave(of node: String) { change { _ = $0.failingOnce.insert(node) } }

    /// Loses all events for a node, as if it were asleep and its connection gone.
    func loseEvents(of node: String) { change { _ = $0.deaf.insert(node) } }

    /// Repeats the requests of all waiting claims, as if a second had passed.
    func repeatRequests() { wake() }

    /// Lets all waiting claims run out of time.
    func timeOut() { change { $0.timeouts += 1 } }

    /// Passes an event on to a node, or keeps it while the node cannot be reached.
    ///
    /// A request is lost then.
    func deliver(_ event: PlacementEvent, to node: String) {
        let handler = state.withLock { state -> (@Sendable (PlacementEvent) -> Void)? in
            if !state.cutOff.contains(node), !state.deaf.contains(node) { return state.handlers[node] }
            if case .lost = event { state.undelivered.append((node, event)) }
            return nil
        }
        handler?(event)
    }
}

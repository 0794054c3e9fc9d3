import Logging
import Synchronization
import ViewModelHost
import ViewModelStorage

/// The nodes on which named sessions live: claims, with requests to the owners.
final class PostgresPlacement: SessionPlacement {
    /// A claim that waits for the owner.
    private struct Claim {
        let key: SessionKey
        let signal: AsyncStream<Void>.Continuation
        /// Whether the owner has closed the session since it was asked.
        var isClosed = false
    }

    private struct State {
        var handler: (@Sendable (PlacementEvent) -> Void)?
        var isStopped = false
        var claims: [Int: Claim] = [:]
        var lastNumber = 0
    }

    private let database: SharedDatabase
    private let owners: SessionOwners
    private let lease: NodeLease
    private let keys: VaultKeys
    private let logger: Logger
    private let state = Mutex(State())

    init(_ database: SharedDatabase, _ owners: SessionOwners, _ lease: NodeLease, _ keys: VaultKeys, logger: Logger) {
        self.database = database
        self.owners = owners
        self.lease = lease
        self.keys = keys
        self.logger = logger
    }

    func start(_ handle: @escaping @Sendable (PlacementEvent) -> Void) {
        state.withLock { $0.handler = handle }
    }

    func stopClaiming() {
        let claims = state.withLock { state in
            state.isStopped = true
            return state.claims.values.map(\.signal)
        }
        for signal in claims { signal.yield() }
    }

    func claim(_ key: SessionKey, _ mode: ClaimMode, mayCreate: Bool) async throws -> ClaimOutcome {
        let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        // Before the first attempt, so that no message between two attempts is missed.
        let number = state.withLock { state in
            state.lastNumber += 1
            state.claims[state.lastNumber] = Claim(key: key, signal: signal)
            return state.lastNumber
        }
        defer { state.withLock { _ = $0.claims.removeValue(forKey: number) } }
        // An owner whose lease ends does not answer either. Its session is free then.
        let deadline = Deadline(after: lease.duration + .seconds(3))
        return try await database.sharing {
            // The owner when it was asked, and whether it has answered once that clients are attached.
            var asked: SessionOwners.Owner?
            var hasAnswered = false
            // Whether the session has had no owner after its owner was asked.
            var isMissing = false
            while true {
                guard !state.withLock({ $0.isStopped }) else {
                    throw StoreUnavailable("The daemon stops, and takes no session any more")
                }
                if wasClosed(number) { (asked, isMissing) = (nil, false) }
                let owner: SessionOwners.Owner
                do {
                    // A session of which nothing is saved has no owner once it has left its node. It still exists, unless
                    // its owner has closed it; the notice of that may come later.
                    switch try await owners.take(key, mayCreate: mayCreate || isMissing, isUse: true) {
                    case .taken(let session): return .acquired(session)
                    case .missing where asked != nil:
                        isMissing = true
                        await Self.wait(for: signals, signal)
                        continue
                    case .missing: return .missing
                    case .livesElsewhere(let other): owner = other
                    }
                } catch let error as PostgresError where error.sqlState == "57014" && !deadline.hasPassed {
                    // A node that was cut off in a save holds the row until the server notices it.
                    continue
                }
                // What the owner has reported before the request may be old: its clients have left, or it is dead.
                if asked?.fence != owner.fence { (asked, hasAnswered) = (owner, false) }
                if mode == .ifUnused, owner.attached > 0, owner.reports > asked?.reports ?? 0 {
                    if hasAnswered { return .occupied(node: owner.node, attached: owner.attached) }
                    // It is asked twice: it may not have noticed yet that the client has just closed its connection.
                    (asked, hasAnswered) = (owner, true)
                    try await Task.sleep(for: .milliseconds(100))
                }
                guard !deadline.hasPassed else {
                    logger.warning(
                        "A node did not let go of a session in time",
                        metadata: ["node": "\(owner.node)", "session": "\(key.name)", "uid": "\(key.uid)"]
                    )
                    throw StoreUnavailable("The node \(owner.node) did not let go of the session \(key.name) in time")
                }
                database.feed.announce(.request(key, owner.fence, mode, boot: owner.boot, node: lease.name))
                await Self.wait(for: signals, signal)
            }
        }
    }

    /// Waits for a message of another node, but no longer than a second.
    private static func wait(for signals: AsyncStream<Void>, _ signal: AsyncStream<Void>.Continuation) async {
        let timer = Task {
            guard (try? await Task.sleep(for: .seconds(1))) != nil else { return }
            signal.yield()
        }
        for await _ in signals { break }
        timer.cancel()
    }

    func release(_ key: SessionKey, under fence: SessionFence) async throws {
        try await database.sharing { try await owners.release(key, under: fence) }
    }

    func report(_ facts: SessionFacts, of key: SessionKey, under fence: SessionFence) async throws {
        // A report is a hint, and the saves of the session wait for it.
        guard database.pool.isHealthy else { throw StoreUnavailable("\(database.place) did not answer the last time") }
        try await database.sharing { try await owners.report(facts, of: key, under: fence) }
    }

    func sessionsElsewhere(of uid: UInt32?) async throws -> [RemoteSession] {
        try await database.sharing { try await owners.elsewhere(of: uid) }
    }

    func digest(of text: [UInt8]) -> [UInt8] { keys.digest(of: text) }

    var digestKey: [UInt8] { Array(keys.current.id.utf8) }

    /// Handles a message of another node, or of this one.
    func receive(_ message: NodeMessage) async {
        switch message {
        case .request(let key, let fence, let mode, let boot, let node):
            guard boot == database.boot else { return }
            report(.requested(key, fence, mode, node: node))
        case .changed(let key): wakeClaims(of: key)
        case .closed(let key): wakeClaims(of: key) { $0.isClosed = true }
        case .taken(let boot):
            if boot == database.boot { await reportLost() }
        }
    }

    /// Returns whether the owner has closed the session of a claim since the last call.
    private func wasClosed(_ number: Int) -> Bool {
        state.withLock { state in
            defer { state.claims[number]?.isClosed = false }
            return state.claims[number]?.isClosed ?? false
        }
    }

    private func wakeClaims(of key: SessionKey, _ change: (inout Claim) -> Void = { _ in }) {
        let signals = state.withLock { state in
            state.claims.filter { $0.value.key == key }.map { number, claim in
                change(&state.claims[number, default: claim])
                return claim.signal
            }
        }
        for signal in signals { signal.yield() }
    }

    /// Compares the sessions of this boot with the database, and reports those that were taken over.
    func reportLost() async {
        do {
            for lost in try await owners.takeLost() { report(.lost(lost.key, lost.fence, node: lost.node)) }
        } catch {
            logger.warning("The owners of sessions could not be read", metadata: ["error": "\(error)"])
        }
    }

    private func report(_ event: PlacementEvent) {
        let handler = state.withLock { $0.handler }
        handler?(event)
    }
}

import Logging
import Synchronization
import ViewModelHost
import ViewModelStorage

/// The nodes on which named sessions live: claims, with requests to the owners.
final class PostgresPlacement: SessionPlacement {
    private struct State {
        var handler: (@Sendable (PlacementEvent) -> Void)?
        var isStopped = false
        /// The claims, which wait for owners.
        var claims: [Int: AsyncStream<Void>.Continuation] = [:]
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
        state.withLock { $0.isStopped = true }
        wakeClaims()
    }

    /// Lets all claims look at their sessions again.
    private func wakeClaims() {
        for signal in state.withLock({ Array($0.claims.values) }) { signal.yield() }
    }

    func claim(_ key: SessionKey, _ mode: ClaimMode, mayCreate: Bool) async throws -> SessionClaim? {
        let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        // Before the first attempt, so that no answer between two attempts is missed.
        let number = state.withLock { state in
            state.lastNumber += 1
            state.claims[state.lastNumber] = signal
            return state.lastNumber
        }
        defer { state.withLock { _ = $0.claims.removeValue(forKey: number) } }
        do {
            let claim: SessionClaim? = try await database.withStoreErrors {
                try await self.claim(key, mode, mayCreate: mayCreate, number, signals, signal)
            }
            // A successful claim has ended its request.
            if case .mine = claim { return claim }
            // The owner must not let the session go for a claim that has ended.
            await owners.withdraw(key)
            return claim
        } catch {
            await owners.withdraw(key)
            throw error
        }
    }

    private func claim(
        _ key: SessionKey,
        _ mode: ClaimMode,
        mayCreate: Bool,
        _ number: Int,
        _ signals: AsyncStream<Void>,
        _ signal: AsyncStream<Void>.Continuation
    ) async throws -> SessionClaim? {
        // An owner whose lease ends does not answer either. Its session is free then.
        let deadline = Deadline(after: lease.duration + .seconds(3))
        // The owner when it was asked, and whether it has answered once that clients are attached.
        var asked: SessionOwner?
        var hasAnswered = false
        var hasFailed = false
        while !deadline.hasPassed {
            if state.withLock({ $0.isStopped }) { return .retry }
            do {
                // A session of which nothing is saved has no owner once it has left its node. It still exists, unless its
                // owner has closed it.
                switch try await owners.find(key, mayCreate: mayCreate, hasLeft: asked != nil) {
                case .mine(let session): return .mine(session)
                case nil: return nil
                case .retry: try await Task.sleep(for: .milliseconds(1))
                case .elsewhere(let owner):
                    // What the owner has reported before the request may be old: its clients have left, or it is dead.
                    if asked?.fence != owner.fence { (asked, hasAnswered) = (owner, false) }
                    if mode == .ifUnused, owner.attached > 0, owner.reports > asked?.reports ?? 0 {
                        if hasAnswered { return .elsewhere(owner) }
                        // It is asked twice: it may not have noticed yet that the client has just closed its connection.
                        (asked, hasAnswered) = (owner, true)
                        try await Task.sleep(for: .milliseconds(100))
                    }
                    guard try await owners.ask(owner, for: key, mode, claim: number) else { continue }
                    await Self.wait(for: signals, signal)
                }
            } catch let error as PostgresError where ["57014", "55P03"].contains(error.sqlState) {
                // A node that was cut off in a save holds the row until the server notices it.
            } catch let error as PostgresError where error.kind == .unavailable && !hasFailed {
                // The connection may be dead since the network was cut. The next attempt has another one.
                hasFailed = true
            }
        }
        logger.warning(
            "A node did not let go of a session in time",
            metadata: ["node": "\(asked?.node ?? "unknown")", "session": "\(key.name)", "uid": "\(key.uid)"]
        )
        return .retry
    }

    /// Waits for the answer of another node, but no longer than a second.
    private static func wait(for signals: AsyncStream<Void>, _ signal: AsyncStream<Void>.Continuation) async {
        let timer = Task {
            guard (try? await Task.sleep(for: .seconds(1))) != nil else { return }
            signal.yield()
        }
        for await _ in signals { break }
        timer.cancel()
    }

    func release(_ key: SessionKey, under fence: SessionFence) async throws {
        try await database.withStoreErrors { try await owners.release(key, under: fence) }
    }

    func report(_ facts: SessionFacts, of key: SessionKey, under fence: SessionFence) async throws {
        try await database.withStoreErrors { try await owners.report(facts, of: key, under: fence) }
    }

    func sessionsElsewhere(of uid: UInt32?) async throws -> [RemoteSession] {
        try await database.withStoreErrors { try await owners.elsewhere(of: uid) }
    }

    func digest(of text: [UInt8]) -> [UInt8] { keys.digest(of: text) }

    var digestKey: [UInt8] { Array(keys.current.id.utf8) }

    /// Handles a hint of another node, or of this one; nil if hints may have been lost.
    func receive(_ hint: NodeHint?) async {
        switch hint {
        case .asked(database.boot): await reportRequests()
        case .answered(database.boot, let claim): state.withLock { $0.claims[claim] }?.yield()
        case .lost(database.boot): await reportLost()
        case nil:
            await reportRequests()
            await reportLost()
        default: break
        }
    }

    private func reportRequests() async {
        do {
            for request in try await owners.requests() { report(request) }
        } catch {
            // The other nodes ask again.
            logger.debug("The requests of other nodes could not be read", metadata: ["error": "\(error)"])
        }
    }

    /// Compares the sessions of this boot with the database, and reports those that were taken over.
    func reportLost() async {
        do {
            for lost in try await owners.removeLost() { report(.lost(lost.key, lost.fence, node: lost.node)) }
        } catch {
            logger.warning("The owners of sessions could not be read", metadata: ["error": "\(error)"])
        }
    }

    private func report(_ event: PlacementEvent) {
        let handler = state.withLock { $0.handler }
        handler?(event)
    }
}

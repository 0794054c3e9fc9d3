import Dispatch
package import Logging
import Synchronization
import ViewModelProtocol

/// The connections to the database, at most ``ConnectionSettings/maximumConnections``.
///
/// They are opened when they are first needed. After a failure the pool waits before it connects again, a little longer
/// each time.
///
/// Isolation: used from anywhere. It never blocks the caller's thread.
package final class ConnectionPool: Sendable {
    private struct Waiter {
        let number: Int
        let continuation: CheckedContinuation<Result<ConnectionLane, PostgresError>, Never>
    }

    private struct State {
        var idle: [ConnectionLane] = []
        /// The connections that exist or are being opened.
        var count = 0
        var waiters: [Waiter] = []
        var lastNumber = 0
        var backoff = Backoff(initial: .milliseconds(100), maximum: .seconds(1), jitter: 0.5)
        /// The latest failure to connect, until a connection succeeds.
        var failure: PostgresError?
        var failingSince: ContinuousClock.Instant?
        var outage = OutageLog()
        var nextAttempt = ContinuousClock.now
        var isClosed = false
    }

    package let settings: ConnectionSettings
    private let state = Mutex(State())
    /// The notices of the server on all connections.
    let notices: ServerNotices
    private let healthy = Atomic(true)
    /// Whether the database has refused a write since it has accepted one that needs room.
    private let refusing = Atomic(false)
    /// Whether the daemon has started with this database.
    let hasStarted = Atomic(false)
    private let logger: Logger
    private let timers = DispatchQueue(label: "viewmodeld.postgres.limits")

    /// Creates a pool without connections.
    package init(_ settings: ConnectionSettings, logger: Logger) {
        self.settings = settings
        self.logger = logger
        notices = ServerNotices(of: settings.place, logger: logger)
    }

    /// Whether the latest transaction found the database available, and no write is refused.
    package var isHealthy: Bool { healthy.load(ordering: .relaxed) && !refusing.load(ordering: .relaxed) }

    /// Records a transaction that the database has executed.
    ///
    /// After a refused write it proves little: reads, and writes that need no room, succeed on a full disk.
    func recordSuccess() {
        healthy.store(true, ordering: .relaxed)
        guard !refusing.load(ordering: .relaxed), state.withLock({ $0.outage.succeeded() }) else { return }
        logger.notice("The database is available again")
    }

    /// Records a transaction that has failed.
    func record(_ failure: PostgresError) {
        guard failure.kind == .unavailable || failure.kind == .failed else { return recordSuccess() }
        healthy.store(false, ordering: .relaxed)
        if failure.isRefusedWrite { refusing.store(true, ordering: .relaxed) }
        if failure.kind == .unavailable { warn(failure) }
    }

    /// Tests whether a database that has refused a write accepts writes again.
    ///
    /// It inserts a row of some pages, and rolls back.
    func testWrites() async throws {
        guard refusing.load(ordering: .relaxed) else { return }
        struct Undo: Error {}
        let text = (0..<65_536).map { _ in UInt8.random(in: .min ... .max) }
        do {
            try await transaction { transaction in
                try transaction.change("INSERT INTO lasting_value VALUES (-2, '', '', $1)", [.bytes(text)])
                throw Undo()
            }
        } catch is Undo {
            refusing.store(false, ordering: .relaxed)
        }
    }

    /// The time since which no connection could be opened; nil while they can.
    var failingSince: ContinuousClock.Instant? { state.withLock { $0.failingSince } }

    /// Returns a connection, which the caller must return with ``release(_:isBroken:)``.
    ///
    /// - Throws: `unavailable` if no connection can be opened, or none becomes free before the deadline.
    func acquire(until deadline: Deadline) async throws(PostgresError) -> ConnectionLane {
        let result: Result<ConnectionLane, PostgresError> = await withCheckedContinuation { continuation in
            let (answer, opening, number) = state.withLock { state in
                Self.begin(continuation, &state, settings)
            }
            if let answer { return continuation.resume(returning: answer) }
            if let opening { open(opening) }
            timers.asyncAfter(deadline: .now() + (deadline.remaining / .seconds(1))) { self.giveUp(number) }
        }
        return try result.get()
    }

    /// Decides what a caller gets: an answer, or a place among those who wait, perhaps with a new connection.
    private static func begin(
        _ continuation: CheckedContinuation<Result<ConnectionLane, PostgresError>, Never>,
        _ state: inout State,
        _ settings: ConnectionSettings
    ) -> (answer: Result<ConnectionLane, PostgresError>?, opening: ConnectionLane?, number: Int) {
        if state.isClosed { return (.failure(.closed(settings.place)), nil, 0) }
        if let lane = state.idle.popLast() { return (.success(lane), nil, 0) }
        let mayOpen = state.count < settings.maximumConnections && .now >= state.nextAttempt
        if !mayOpen, state.count == 0, let failure = state.failure { return (.failure(failure), nil, 0) }
        state.lastNumber += 1
        state.waiters.append(Waiter(number: state.lastNumber, continuation: continuation))
        guard mayOpen else { return (nil, nil, state.lastNumber) }
        state.count += 1
        return (nil, ConnectionLane(), state.lastNumber)
    }

    private func open(_ lane: ConnectionLane) {
        lane.open(settings, notices) { failure in
            guard let failure else {
                self.state.withLock { state in
                    state.failure = nil
                    state.failingSince = nil
                    state.backoff.reset()
                }
                return self.release(lane, isBroken: false)
            }
            let waiters = self.state.withLock { state in
                state.count -= 1
                state.failure = failure
                state.failingSince = state.failingSince ?? .now
                state.nextAttempt = .now + state.backoff.delay()
                // Other connections may become free.
                guard state.count == 0 else { return [Waiter]() }
                defer { state.waiters = [] }
                return state.waiters
            }
            self.warn(failure)
            for waiter in waiters { waiter.continuation.resume(returning: .failure(failure)) }
        }
    }

    /// Logs the first failure of an outage.
    private func warn(_ failure: PostgresError) {
        guard state.withLock({ $0.outage.failed() }) else { return }
        let text: Logger.Message =
            hasStarted.load(ordering: .relaxed)
            ? "The database is not available, and the daemon tries again by itself" : "The database is not available"
        logger.warning(text, metadata: ["error": "\(failure)"])
    }

    /// Returns a connection to the pool.
    func release(_ lane: ConnectionLane, isBroken: Bool) {
        if isBroken { lane.close() }
        if isBroken { return replace() }
        let (waiter, isSurplus) = state.withLock { state in
            if state.isClosed { return (nil as Waiter?, true) }
            if !state.waiters.isEmpty { return (state.waiters.removeFirst(), false) }
            state.idle.append(lane)
            return (nil, false)
        }
        if isSurplus { lane.close() }
        waiter?.continuation.resume(returning: .success(lane))
    }

    /// Opens a connection in place of a broken one, if a caller waits.
    private func replace() {
        let (waiters, opening) = state.withLock { state in
            state.count -= 1
            guard !state.waiters.isEmpty, !state.isClosed else { return ([Waiter](), nil as ConnectionLane?) }
            if .now >= state.nextAttempt {
                state.count += 1
                return ([], ConnectionLane())
            }
            // No other call would open a connection for the callers that wait.
            guard state.count == 0 else { return ([], nil) }
            defer { state.waiters = [] }
            return (state.waiters, nil)
        }
        for waiter in waiters { waiter.continuation.resume(returning: .failure(.timeLimit(settings.place))) }
        if let opening { open(opening) }
    }

    private func giveUp(_ number: Int) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.waiters.firstIndex(where: { $0.number == number }) else { return nil }
            return state.waiters.remove(at: index)
        }
        waiter?.continuation.resume(returning: .failure(.timeLimit(settings.place)))
    }

    /// Closes the connections after the transactions that have begun.
    ///
    /// Later calls throw `PostgresError.Kind.closed`.
    package func close() async {
        let (idle, waiters) = state.withLock { state in
            state.isClosed = true
            defer {
                state.idle = []
                state.waiters = []
            }
            return (state.idle, state.waiters)
        }
        for waiter in waiters { waiter.continuation.resume(returning: .failure(.closed(settings.place))) }
        for lane in idle {
            lane.close()
            await lane.run { _ in }
        }
    }
}

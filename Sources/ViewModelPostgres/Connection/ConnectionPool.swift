import DequeModule
import Dispatch
package import Logging
import Synchronization
import ViewModelProtocol
import ViewModelStorage

/// The connections to the database for one kind of work, at most ``ConnectionSettings/maximumConnections``.
///
/// They are opened when they are first needed. After a failure the pool waits before it connects again, a little longer
/// each time. Batches of several callers travel together on a connection, so a long way to the database delays each of
/// them by one round trip.
///
/// Work that cannot begin in time is refused, at once if this can be foreseen. The connections stay open.
///
/// Isolation: used from anywhere. It never blocks the caller's thread.
package final class ConnectionPool: Sendable {
    /// Work that waits for a connection.
    struct Job: Sendable {
        enum Work: Sendable {
            /// Makes the statements of a transaction when a connection takes the work.
            ///
            /// It returns nil if another connection has executed them meanwhile.
            case batch(@Sendable () -> PostgresConnection.Batch?)
            /// Statements that depend on the results of others.
            case dialog(@Sendable (PostgresConnection) -> Void)
        }

        let work: Work
        /// How long the work may wait.
        let patience: Duration
        let arrival = ContinuousClock.now
        /// Receives the reason if no connection takes the work.
        let refuse: @Sendable (StoreError) -> Void

        func isLate(_ now: ContinuousClock.Instant) -> Bool { now - arrival >= patience }
    }

    private struct State {
        var idle: [ConnectionThread] = []
        /// The connections that exist or are being opened.
        var count = 0
        /// Those that are being opened.
        var opening = 0
        /// Those that were woken for a job and have not begun it.
        var woken = 0
        var waiting: Deque<Job> = []
        /// Whether jobs that have waited too long are looked for.
        var isLooking = false
        /// The average time for which a job occupies a connection.
        var average = Duration.zero
        var backoff = Backoff(initial: .milliseconds(100), maximum: .milliseconds(500), jitter: 0.5)
        /// The latest failure to connect, until a connection succeeds.
        var failure: StoreError?
        var failingSince: ContinuousClock.Instant?
        var nextAttempt = ContinuousClock.now
        /// The number of connections that all pools had opened when the latest attempt failed.
        var opened = 0
        var isClosed = false
    }

    /// The largest number of batches that travel together.
    private static let batches = 32
    /// The pause between two looks for jobs that have waited too long.
    private static let lookingPause = 0.05

    package let settings: ConnectionSettings
    package let health: DatabaseHealth
    /// The notices of the server on all connections.
    let notices: ServerNotices
    private let state = Mutex(State())
    private let timers = DispatchQueue(label: "viewmodeld.postgres.limits")

    init(_ settings: ConnectionSettings, _ health: DatabaseHealth, _ notices: ServerNotices) {
        self.settings = settings
        self.health = health
        self.notices = notices
    }

    /// Creates a pool that shares nothing with others.
    package convenience init(_ settings: ConnectionSettings, logger: Logger) {
        self.init(settings, DatabaseHealth(logger: logger), ServerNotices(of: settings.label, logger: logger))
    }

    /// The time since which no connection could be opened; nil while they can, or if another pool has opened one since.
    var failingSince: ContinuousClock.Instant? {
        state.withLock { $0.opened == health.openedConnections ? $0.failingSince : nil }
    }

    /// Whether an attempt to connect is due: after a pause, or because another pool has been successful.
    private func mayConnect(_ state: State) -> Bool {
        .now >= state.nextAttempt || state.opened != health.openedConnections
    }

    /// Begins work that has a time limit.
    func begin(_ work: Job.Work, _ limit: Duration, refuse: @escaping @Sendable (StoreError) -> Void) {
        // Work that began later would run into its limit, and others would wait for it in vain.
        let job = Job(work: work, patience: limit / 2, refuse: refuse)
        let refusal: StoreError? = state.withLock { state in
            if state.isClosed { return .closed(settings.label) }
            // The jobs before this one wait so long that it would hardly begin in time.
            if let first = state.waiting.first, .now - first.arrival > job.patience / 2 {
                return lateError(of: state)
            }
            state.waiting.append(job)
            return nil
        }
        if let refusal { job.refuse(refusal) } else { advance() }
    }

    /// Gives a job that waits to an idle connection or to a new one, or refuses all jobs if there can be none.
    private func advance() {
        let (step, mustLook) = state.withLock { state -> (@Sendable () -> Void, Bool) in
            guard !state.waiting.isEmpty else { return ({}, false) }
            if state.count == 0, !mayConnect(state) {
                let (jobs, error) = (state.waiting, state.failure ?? .timeLimit(settings.label))
                state.waiting = []
                return ({ for job in jobs { job.refuse(error) } }, false)
            }
            defer { state.isLooking = true }
            if let thread = state.idle.popLast() {
                state.woken += 1
                return ({ self.serve(thread, wasIdle: true) }, !state.isLooking)
            }
            guard state.count < settings.maximumConnections, mayConnect(state) else { return ({}, !state.isLooking) }
            state.count += 1
            state.opening += 1
            state.woken += 1
            return ({ self.open(ConnectionThread()) }, !state.isLooking)
        }
        if mustLook { lookLater() }
        step()
    }

    private func open(_ thread: ConnectionThread) {
        thread.open(settings, notices) { failure in
            guard let failure else {
                self.health.recordOpenedConnection()
                self.state.withLock { state in
                    state.opening -= 1
                    state.failure = nil
                    state.failingSince = nil
                    state.backoff.reset()
                }
                return self.serve(thread, wasIdle: false)
            }
            self.state.withLock { state in
                state.count -= 1
                state.opening -= 1
                state.woken -= 1
                state.failure = failure
                state.failingSince = state.failingSince ?? .now
                state.nextAttempt = .now + state.backoff.delay()
                state.opened = self.health.openedConnections
            }
            self.health.warn(failure)
            self.advance()
        }
    }

    /// Lets a connection do what waits, until nothing does.
    private func serve(_ thread: ConnectionThread, wasIdle: Bool) {
        thread.use { connection in
            self.state.withLock { $0.woken -= 1 }
            // After a restart of the server all idle connections are closed.
            guard let connection, !(wasIdle && connection.isStale) else { return self.replace(thread) }
            while let job = self.next(for: thread) {
                let begun = ContinuousClock.now
                var count = 1
                switch job.work {
                case .dialog(let work): work(connection)
                case .batch(let make):
                    guard let batch = make() else { continue }
                    count = connection.run(batch, atMost: self.batches(within: job.patience)) { self.nextBatch() }
                }
                guard !connection.isBroken else { return self.replace(thread) }
                let time = (ContinuousClock.now - begun) / count
                self.state.withLock { $0.average = $0.average == .zero ? time : ($0.average * 3 + time) / 4 }
            }
        }
    }

    /// The number of batches that travel together, so that the last one has its answer in time.
    private func batches(within patience: Duration) -> Int {
        let average = state.withLock { $0.average }
        // The average has the way to the database in it, which a round of many batches costs once.
        return average == .zero ? 1 : min(Self.batches, max(Int(patience / 2 / average), 8))
    }

    /// Takes the next job for a connection.
    ///
    /// A connection without a job becomes idle. In a closed pool it is closed.
    private func next(for thread: ConnectionThread) -> Job? {
        let (job, isClosed) = state.withLock { state -> (Job?, Bool) in
            if let job = state.waiting.popFirst() { return (job, false) }
            if !state.isClosed { state.idle.append(thread) }
            return (nil, state.isClosed)
        }
        if isClosed { thread.close() }
        return job
    }

    /// Takes the next job, if it is a batch and no other connection is about to take it.
    ///
    /// A batch that waits for a lock delays those that travel behind it.
    private func nextBatch() -> PostgresConnection.Batch? {
        while true {
            let make = state.withLock { state -> (@Sendable () -> PostgresConnection.Batch?)? in
                guard state.waiting.count > state.woken, case .batch(let make) = state.waiting.first?.work else {
                    return nil
                }
                state.waiting.removeFirst()
                return make
            }
            guard let make else { return nil }
            if let batch = make() { return batch }
        }
    }

    private func replace(_ thread: ConnectionThread) {
        thread.close()
        state.withLock { $0.count -= 1 }
        advance()
    }

    /// Returns the error for a job that cannot begin in time.
    private func lateError(of state: State) -> StoreError {
        state.count > state.opening ? .overloaded(settings.label) : .timeLimit(settings.label)
    }

    /// Refuses the jobs that have waited too long, again and again while jobs wait.
    private func lookLater() {
        timers.asyncAfter(deadline: .now() + Self.lookingPause) {
            let now = ContinuousClock.now
            let (late, error, isLooking) = self.state.withLock { state in
                let late = state.waiting.filter { $0.isLate(now) }
                if !late.isEmpty { state.waiting.removeAll { $0.isLate(now) } }
                state.isLooking = !state.waiting.isEmpty
                return (late, self.lateError(of: state), state.isLooking)
            }
            for job in late { job.refuse(error) }
            if isLooking { self.lookLater() }
        }
    }

    /// Closes the connections after the work that has begun.
    ///
    /// Later calls throw `StoreError` of kind `closed`.
    package func close() async {
        let (idle, jobs) = state.withLock { state in
            state.isClosed = true
            defer { (state.idle, state.waiting) = ([], []) }
            return (state.idle, state.waiting)
        }
        for job in jobs { job.refuse(.closed(settings.label)) }
        for thread in idle {
            await withCheckedContinuation { continuation in thread.close { continuation.resume() } }
        }
    }
}

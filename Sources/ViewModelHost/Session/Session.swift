import Logging
import Synchronization
package import ViewModelKit
import ViewModelProtocol

/// A session: an actor on the loop of its user, in which its ViewModels live.
///
/// What runs on the loop synchronously (bytes to input to frame) uses the ``SessionCore`` directly; the actor is what
/// the bodies of actions are isolated to. Each job of the actor, a stretch of an action between two suspensions, is
/// a step of the graph.
package actor Session: SerialExecutor {
    package nonisolated let uid: UInt32
    /// The name by which connections attach; nil for the anonymous session of a connection.
    package nonisolated let name: String?
    /// The name with its user, nil for an anonymous session.
    nonisolated var key: SessionKey? { name.map { SessionKey(uid: uid, name: $0) } }
    package nonisolated let epoch: String
    package nonisolated let created: WallTime
    package nonisolated let loop: any SessionLoop
    private nonisolated let host: Host
    private nonisolated let status = Mutex(Status())
    private nonisolated let confined: LoopConfined<SessionCore>

    /// What others may know of a session without being on its loop.
    package struct Status: Sendable {
        package var attached = 0
        package var instances = 0
        package var expires: WallTime?
        package var isEnded = false
        package var isRestored = false
        /// The incident of the author's mistake that is about to end it.
        package var failure: String?
        /// The dates as text, made when first listed.
        fileprivate var createdText: String?
        fileprivate var expiresText: String?
    }

    /// Makes a session; the caller is on its loop.
    init(host: Host, uid: UInt32, name: String?, linger: Int, loop: any SessionLoop, saved: SavedSession? = nil) {
        self.uid = uid
        self.name = name
        self.epoch = host.makeEpoch()
        self.created = WallTime.now
        self.loop = loop
        self.host = host
        let core = SessionCore(host: host, uid: uid, linger: linger, loop: loop)
        confined = LoopConfined(core, on: loop)
        core.begin(self, saved: saved)
    }

    /// The session's inside, for a caller who is on `loop`; nil where the session is on another.
    nonisolated func core(on loop: any SessionLoop) -> SessionCore? { confined.value(on: loop) }

    /// The session's inside; the caller is on its loop.
    nonisolated var core: SessionCore { confined.value }

    /// Runs `body` with the session's inside on its loop, at once when the caller is there.
    nonisolated func run(_ body: @escaping @Sendable (SessionCore) -> Void) {
        confined.run(body)
    }

    /// Whose session this is, for the log.
    nonisolated var metadata: Logger.Metadata { ["session": "\(name ?? "(anonymous)")", "uid": "\(uid)"] }

    /// Whether saved state was brought back; set on the session's loop before anybody else knows the session.
    nonisolated var isRestored: Bool {
        get { status.withLock { $0.isRestored } }
        set { status.withLock { $0.isRestored = newValue } }
    }

    package nonisolated var currentStatus: Status { status.withLock { $0 } }

    /// The status with its dates as RFC 3339 texts, which are made once.
    nonisolated func currentListing() -> (status: Status, created: String, expires: String?) {
        status.withLock { status in
            let created = status.createdText ?? self.created.text
            status.createdText = created
            if status.expiresText == nil { status.expiresText = status.expires?.text }
            return (status, created, status.expiresText)
        }
    }

    nonisolated func updateStatus(_ change: (inout Status) -> Void) {
        status.withLock { status in
            change(&status)
            status.expiresText = nil
        }
    }

    /// Ends the session because the daemon does.
    func stop() {
        core.end(SessionEnd(reason: .stopping), requester: nil)
    }

    /// How many actions execute.
    var executingActions: Int { core.executingActions }

    // MARK: The executor

    package nonisolated var unownedExecutor: UnownedSerialExecutor { asUnownedSerialExecutor() }

    package nonisolated func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    package nonisolated func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if let taskExecutor = loop.taskExecutor, taskExecutor.claim(job) { return }
        loop.execute {
            let graph: Graph = self.core.graph
            graph.begin()
            self.runNow(job)
            graph.end()
        }
    }

    /// Runs a job of the session, in the step that is open; the caller is on the loop.
    package nonisolated func runNow(_ job: UnownedJob) {
        if let taskExecutor = loop.taskExecutor {
            job.runSynchronously(
                isolatedTo: asUnownedSerialExecutor(),
                taskExecutor: taskExecutor.asUnownedTaskExecutor()
            )
        } else {
            job.runSynchronously(on: asUnownedSerialExecutor())
        }
    }

    package nonisolated func checkIsolated() {
        if !loop.isCurrent { fatalError("the session was used outside of its loop") }
    }

    package nonisolated func isIsolatingCurrentContext() -> Bool? { loop.isCurrent }

    /// Starts a task of this session, its first stretch at once; the caller is on the loop.
    nonisolated func spawn(_ operation: @escaping () async -> Void) -> Task<Void, Never> {
        let confined = LoopConfined(operation, on: loop)
        guard let taskExecutor = loop.taskExecutor else { return assumeIsolated { $0.task(confined) } }
        return taskExecutor.start(in: self) { assumeIsolated { $0.task(confined) } }
    }

    private func task(_ operation: LoopConfined<() async -> Void>) -> Task<Void, Never> {
        Task.immediate(executorPreference: loop.taskExecutor) {
            _ = self  // So that the task is isolated to the session.
            await operation.value()
        }
    }
}

extension Session: GraphSession {
    package nonisolated var isCurrent: Bool { loop.isCurrent }

    package nonisolated var now: Duration { loop.now }

    package nonisolated func failed(_ mistake: AuthorMistake) -> String {
        let (incident, isFirst) = status.withLock { status in
            if let incident = status.failure { return (incident, false) }
            let incident = host.incident(mistake, in: "a ViewModel; its session ends", metadata)
            status.failure = incident
            return (incident, true)
        }
        if isFirst {
            loop.execute { self.core.end(SessionEnd(reason: .failed, incident: incident), requester: nil) }
        }
        return incident
    }

    package nonisolated func cancelLater(timer number: Int) {
        loop.execute { self.core.graph.cancelNow(timer: number) }
    }
}

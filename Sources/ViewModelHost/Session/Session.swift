package import FoundationEssentials
import Logging
import Synchronization

package import ViewModelKit
import ViewModelProtocol

/// A session: an actor on its user's loop that hosts ViewModels.
///
/// Synchronous work on the loop, from an input to its frames, uses the ``SessionCore`` directly. The bodies of actions
/// are isolated to the actor. Each job of the actor, which is an action's stretch between two suspensions, is a step of
/// the graph.
package actor Session: SerialExecutor {
    package nonisolated let uid: UInt32
    /// The name to attach by; nil for the anonymous session of a connection.
    package nonisolated let name: String?
    /// The uid and the name; nil for an anonymous session.
    nonisolated var key: SessionKey? { name.map { SessionKey(uid: uid, name: $0) } }
    /// 16 random digits, which no other life of the session has.
    package nonisolated let epoch = String(UInt64.random(in: 1 << 60 ... .max), radix: 16)
    private nonisolated let created: Date
    /// Whether something of a former life of the session was loaded.
    nonisolated let isRestored: Bool
    package nonisolated let loop: any SessionLoop
    private nonisolated let host: Host
    private nonisolated let status = Mutex(Status())
    private nonisolated let confined: LoopConfined<SessionCore>
    /// The changes that the newest save has failed to save, for the next one in the store's queue.
    nonisolated let unsaved = Mutex<SessionChanges?>(nil)

    /// The part of a session's state that other threads may read.
    struct Status: Sendable {
        var attached = 0
        var instances = 0
        var expires: Date?
        /// The incident of the author's mistake that is about to end the session.
        var failure: String?
        /// The dates as text, formatted at the first listing.
        fileprivate var createdText: String?
        fileprivate var expiresText: String?
    }

    /// Creates a session, with its linger in seconds.
    ///
    /// The caller is on its loop. An anonymous session has no name. One that is not saved was not acquired.
    init(
        host: Host,
        uid: UInt32,
        person: User.Identity?,
        name: String?,
        linger: Int,
        loop: any SessionLoop,
        acquired: AcquiredSession? = nil
    ) {
        self.uid = uid
        self.name = name
        isRestored = acquired?.saved.map { !$0.instances.isEmpty || !$0.values.isEmpty } ?? false
        self.loop = loop
        created = loop.date
        self.host = host
        let core = SessionCore(host: host, uid: uid, person: person, linger: linger, loop: loop)
        confined = LoopConfined(core, on: loop)
        core.start(in: self, acquired: acquired)
    }

    /// The core.
    ///
    /// Traps if the caller is not on the session's loop.
    nonisolated var core: SessionCore { confined.value }

    /// Runs `body` with the core on the session's loop: at once if the caller is on it, else later.
    nonisolated func run(_ body: @escaping @Sendable (SessionCore) -> Void) {
        confined.run(body)
    }

    /// Runs `body` with the core on the session's loop, and returns its result.
    nonisolated func call<Result: Sendable>(_ body: @escaping @Sendable (SessionCore) -> Result) async -> Result {
        await confined.call(body)
    }

    /// The session's name and user for the log.
    nonisolated var metadata: Logger.Metadata { ["session": "\(name ?? "(anonymous)")", "uid": "\(uid)"] }

    nonisolated var currentStatus: Status { status.withLock { $0 } }

    /// The entry in listings.
    ///
    /// The texts of the dates are cached.
    nonisolated var summary: SessionSummary {
        status.withLock { status in
            let created = status.createdText ?? created.wireText
            status.createdText = created
            if status.expiresText == nil { status.expiresText = status.expires?.wireText }
            return SessionSummary(
                attached: status.attached,
                instances: status.instances,
                created: created,
                expires: status.expiresText
            )
        }
    }

    nonisolated func updateStatus(_ change: (inout Status) -> Void) {
        status.withLock { status in
            change(&status)
            status.expiresText = nil
        }
    }

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
            graph.enter(job)
            graph.beginStep()
            self.runNow(job)
            graph.endStep()
        }
    }

    /// Runs a job of the session in the current step.
    ///
    /// The caller is on the loop.
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

    /// Starts a task of this session and runs its first stretch at once.
    ///
    /// The caller is on the loop.
    package nonisolated func spawn(_ operation: @escaping () async -> Void) -> Task<Void, Never> {
        let confined = LoopConfined(operation, on: loop)
        guard let taskExecutor = loop.taskExecutor else { return assumeIsolated { $0.task(confined) } }
        return taskExecutor.start(in: self) { assumeIsolated { $0.task(confined) } }
    }

    /// Starts the task, which is unstructured because a step starts it and does not wait for it.
    ///
    /// Its owner, an execution or a `TaskScope`, cancels it.
    private func task(_ operation: LoopConfined<() async -> Void>) -> Task<Void, Never> {
        Task.immediate(executorPreference: loop.taskExecutor) {
            _ = self  // The capture isolates the task to the session.
            await operation.value()
        }
    }
}

extension Session: GraphSession {
    package nonisolated var isCurrent: Bool { loop.isCurrent }

    package nonisolated var now: Duration { loop.now }

    package nonisolated var chance: Double { loop.chance }

    package nonisolated var date: Date { loop.date }

    package nonisolated func endLater(
        because mistake: AuthorMistake,
        of object: AnyObject?,
        computing derived: Node?
    ) -> String {
        let kind = mistake.description + (object.map { " \(type(of: $0))" } ?? "")
        let (former, incident) = status.withLock { status in
            if let former = status.failure { return (former as String?, nil as Incident?) }
            let incident = host.admitIncident(kind, in: SessionCore.activityOfMistakes)
            status.failure = incident.id
            return (nil, incident)
        }
        guard let incident else { return former ?? "" }
        let objects = LoopConfined((object, derived), on: loop)
        // At once on the loop, so that the log precedes the reply that names the incident.
        objects.run { self.core.log(incident, mistake, of: $0, computing: $1) }
        loop.execute { self.core.end(SessionClosed.Params(reason: .failed, incident: incident.id)) }
        return incident.id
    }

    package nonisolated func cancelLater(timer number: Int) {
        loop.execute { self.core.graph.cancel(timer: number) }
    }
}

extension Date {
    /// The date as RFC 3339 text in UTC.
    fileprivate var wireText: String { formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)) }
}

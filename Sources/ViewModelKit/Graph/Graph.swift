#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif
internal import Synchronization

/// The synchronous kernel under one session: it runs steps and commits what they changed.
///
/// A *step* is one synchronous run: an input applied, a stretch of an action between two suspensions, a timer.
/// Writes to ``Cell``s mark what depends on them; the commit at the end of the outermost step pulls every marked
/// output once, gives the step its number if anything changed, and tells the host. Nothing here suspends, locks or
/// allocates per write.
///
/// Isolation: confined to its session (not `Sendable`). Authors never hold a graph: what they make in a ViewModel's
/// `init` finds it by itself.
public final class Graph {
    package unowned let host: any GraphHost
    /// The session itself, for callers that may be on any thread and may outlive it.
    ///
    /// It is another object than the host: an object with weak references to it costs several times as much to retain.
    private weak let session: (any GraphSession)?
    /// The number of the last step that changed an output or made an instance (`seq` on the wire).
    package var sequence: Int { lastSequence }
    // Not read from other modules, which would check every access: they do not see the attribute.
    @exclusivity(unchecked) private var lastSequence: Int
    /// The derived value that is being computed; what it reads becomes its source.
    @exclusivity(unchecked) var evaluating: AnyDerived?
    @exclusivity(unchecked) private var depth = 0
    /// The thread on which a step is running, 0 while none is; read from any thread.
    private let stepper = Atomic<UInt>(0)
    /// The incident of the mistake that ends the session, once an author's code has made one inside a step.
    @exclusivity(unchecked) package private(set) var failure: String?
    @exclusivity(unchecked) private var marked = OutputQueue()
    @exclusivity(unchecked) private var waiting: [() -> Void] = []
    @exclusivity(unchecked) private var epilogue: [() -> Void] = []
    @exclusivity(unchecked) private var instanceMade = false
    /// Whether the session has ended; nothing is marked and no timer runs any more.
    @exclusivity(unchecked) private var isClosed = false
    private var timers: [Int: SessionTimer.Entry] = [:]
    private var nextTimer = 0
    /// What outlasts the session; nil where nothing does.
    package let restoring: SavedStateRegistry?
    /// The taskScope of what is being wired.
    private(set) var taskScope: TaskScope?

    /// Makes the graph of a session.
    ///
    /// - Parameter sequence: the step number to begin with.
    package init(
        host: any GraphHost,
        session: any GraphSession,
        sequence: Int = 0,
        restoring: SavedStateRegistry? = nil
    ) {
        self.host = host
        self.session = session
        lastSequence = sequence
        self.restoring = restoring
    }

    /// Whether a step is running.
    package var isStepping: Bool { depth > 0 }

    /// The number that a change made now will be committed under.
    var pendingSequence: Int { sequence + 1 }

    // MARK: Steps

    /// Runs `body` as a step of its own, or as a part of the one that is running.
    package func step<Result>(_ body: () throws -> Result) rethrows -> Result {
        begin()
        defer { end() }
        return try body()
    }

    /// Opens a step; each call is paired with ``end()``.
    package func begin() {
        if depth == 0 { stepper.store(Self.thread, ordering: .relaxed) }
        depth += 1
    }

    /// Closes a step; the outermost one commits, then runs what waited for it, each in a step of its own.
    package func end() {
        if depth == 1 {
            commit()
            while !waiting.isEmpty {
                let next = waiting.removeFirst()
                next()
                commit()
            }
        }
        depth -= 1
        if depth == 0 { stepper.store(0, ordering: .relaxed) }
    }

    /// Runs `body` now in a step, or, while one is running, after its commit (trampoline).
    ///
    /// A call from outside the session is an author's mistake: it ends the session, and `body` does not run.
    func stepLater(_ body: @escaping () -> Void) {
        if isInStep {
            waiting.append(body)
        } else if isCurrent {
            step(body)
        } else {
            fail(.outsideSession("an input or action was run"))
        }
    }

    // MARK: Mistakes of authors

    /// Whether the caller runs inside a step of this graph.
    private var isInStep: Bool { stepper.load(ordering: .relaxed) == Self.thread }

    /// Whether the caller is on the session's thread, in a step or between two.
    private var isCurrent: Bool { session?.isCurrent ?? false }

    private static var thread: UInt {
        #if canImport(Glibc)
            pthread_self()
        #else
            UInt(bitPattern: pthread_self())
        #endif
    }

    /// Checks that the caller may write: it runs inside a step, and not inside a ``Derived``.
    ///
    /// - Returns: false after a mistake, which ends the session; the caller then leaves the value as it is.
    func mayWrite(_ what: StaticString) -> Bool {
        guard isInStep else {
            fail(.outsideSession(what))
            return false
        }
        guard evaluating == nil else {
            fail(.insideDerived(what))
            return false
        }
        return true
    }

    /// Ends the session because of an author's mistake; called on any thread.
    private func fail(_ mistake: AuthorMistake) {
        guard let session else { return }
        let incident = session.failed(mistake)
        if isInStep { failure = incident }
    }

    /// Runs `body` after the commit of this step, when its frames have been made.
    package func afterCommit(_ body: @escaping () -> Void) {
        if depth == 0 {
            body()
        } else {
            epilogue.append(body)
        }
    }

    /// Counts the making of an instance as a change of this step.
    package func noteInstance() {
        instanceMade = true
    }

    func mark(_ output: AnyOutput) {
        guard !isClosed else { return }
        marked.append(output)
    }

    private func commit() {
        if !marked.isEmpty || instanceMade {
            // Settling only reads, so nothing is marked meanwhile.
            var changed = OutputQueue()
            while let output = marked.popFirst() {
                guard !output.isClosed, output.commitChange() else { continue }
                output.changedAt = pendingSequence
                changed.append(output)
            }
            if !changed.isEmpty || instanceMade {
                instanceMade = false
                lastSequence = pendingSequence
                host.committed(&changed, as: lastSequence)
            }
        }
        if !epilogue.isEmpty {
            let bodies = epilogue
            epilogue.removeAll()
            for body in bodies {
                body()
            }
        }
    }

    /// Releases what the graph holds of the ViewModels, because the session has ended.
    ///
    /// Marked outputs, timers and restorable values hold the graph in turn. A session that ends in the middle of a step,
    /// such as one whose only client closes its connection while a frame is written, would leave them behind for ever.
    package func close() {
        isClosed = true
        while marked.popFirst() != nil {}
        let ended = timers
        timers = [:]
        for timer in ended.values { timer.scheduled.cancel() }
        restoring?.removeAll()
    }

    // MARK: Timers

    /// Runs `body` in a step of its own after `delay` on the session's clock, unless the timer is cancelled or released.
    func schedule(after delay: Duration, _ body: @escaping () -> Void) -> SessionTimer {
        guard isCurrent else {
            fail(.outsideSession("a timer was started"))
            return SessionTimer(graph: self, number: 0)
        }
        guard !isClosed else { return SessionTimer(graph: self, number: 0) }
        nextTimer += 1
        let number = nextTimer
        timers[number] = SessionTimer.Entry(body: body, scheduled: host.schedule(timer: number, after: delay))
        return SessionTimer(graph: self, number: number)
    }

    /// Runs the timer of this number; the host calls it when its time has come.
    package func fire(timer number: Int) {
        guard let entry = timers.removeValue(forKey: number) else { return }
        step(entry.body)
    }

    /// Takes a timer back; from another thread, on which its owner may be released, by a hop to the session.
    func cancel(timer number: Int) {
        if isCurrent {
            timers.removeValue(forKey: number)?.scheduled.cancel()
        } else {
            session?.cancelLater(timer: number)
        }
    }

    /// Takes a timer back; the caller is on the session's thread.
    package func cancelNow(timer number: Int) {
        timers.removeValue(forKey: number)?.scheduled.cancel()
    }

    /// The session's clock; zero once the session is gone.
    var now: Duration { session?.now ?? .zero }

    // MARK: Wiring

    /// The graph that `Cell`s, inputs and outputs made now belong to.
    static var current: Graph {
        guard let reference = Wiring.graph else {
            fatalError(
                """
                Cells, inputs, outputs and actions are made in the init of a ViewModel that a session hosts; \
                in a test, make it inside a Harness of ViewModelTesting
                """
            )
        }
        return reference.graph
    }

    /// Makes this graph the current one while `body` wires what lives as long as `taskScope`.
    package func wiring<Result>(_ taskScope: TaskScope? = nil, _ body: () throws -> Result) rethrows -> Result {
        let outer = self.taskScope
        self.taskScope = taskScope ?? outer
        defer { self.taskScope = outer }
        return try Wiring.$graph.withValue(GraphReference(graph: self), operation: body)
    }
}

private enum Wiring {
    @TaskLocal static var graph: GraphReference?
}

/// Carries a graph through a task-local value.
///
/// `@unchecked Sendable`, because a task-local asks for it. Proof: it is bound only by the synchronous
/// ``Graph/wiring(_:)``, on the session's own executor, read only by initialisers that run inside of that call on the
/// same thread, and a child task that inherits the value would have to call an initialiser of this module outside
/// of its session, which the confinement of ViewModels forbids.
private struct GraphReference: @unchecked Sendable {
    unowned let graph: Graph
}

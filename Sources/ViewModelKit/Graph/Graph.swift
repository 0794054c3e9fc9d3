internal import CUnixIO
internal import Glibc
internal import JSONRPC

/// The synchronous kernel under one session.
///
/// It runs steps and commits their changes.
///
/// A *step* is one synchronous run: an applied input, a stretch of an action between two suspensions, or a timer. A
/// write to a ``Cell`` marks the outputs that depend on it. The commit at the end of the outermost step refreshes each
/// marked output once, numbers the step if an output changed, and notifies the host. The graph does not suspend, lock
/// or allocate per write.
///
/// Isolation: confined to its session (not `Sendable`). Authors never hold a graph. Objects that are created in a
/// ViewModel's `init` belong to it automatically.
package final class Graph {
    package unowned let host: any GraphHost
    /// The session, for callers on any thread that may outlive it.
    ///
    /// It is another object than the host, because an object with weak references costs several times as much to
    /// retain.
    weak let session: (any GraphSession)?
    /// The number of the last step that changed an output or made an instance (`seq` on the wire).
    package var sequence: Int { lastSequence }
    // Private, because other modules do not see the attribute and would check exclusivity on each access.
    @exclusivity(unchecked) private var lastSequence: Int
    /// The derived value that is being computed.
    ///
    /// Signals that it reads become its sources.
    @exclusivity(unchecked) var evaluating: AnyDerived?
    @exclusivity(unchecked) private var depth = 0
    /// The graph whose step on the same thread contains the running one, or nil.
    @exclusivity(unchecked) private var outer: UnsafeRawPointer?
    /// The session in the log of what a thread runs.
    package let place: ActivityPlace
    /// The incident of an author's mistake inside of a step.
    ///
    /// The mistake ends the session.
    @exclusivity(unchecked) package private(set) var failure: String?
    /// Whether the step goes on with a value that is not the right one.
    ///
    /// Nothing that depends on it may be saved.
    var hasMadeUpValues = false
    /// The first marked output, from which each one leads to the next, so that a mark allocates nothing.
    @exclusivity(unchecked) private var firstMarked: AnyOutput?
    /// The last marked output, unretained because the one before it holds it.
    @exclusivity(unchecked) private var lastMarked: Unmanaged<AnyOutput>?
    @exclusivity(unchecked) private var laterSteps: [() -> Void] = []
    /// Whether the later steps request one another without end.
    @exclusivity(unchecked) private var isChainTooLong = false
    @exclusivity(unchecked) private var afterCommitBodies: [() -> Void] = []
    @exclusivity(unchecked) private var instanceMade = false
    /// Whether the session has ended.
    ///
    /// Outputs are not marked and timers do not start any more.
    @exclusivity(unchecked) private var isClosed = false
    @exclusivity(unchecked) private var scratch = JSONWriter()
    private var preparations: [() -> SavePreparation?] = []
    private var timers: [Int: (body: () -> Void, activity: Activity?, scheduled: any ScheduledWork)] = [:]
    private var nextTimer = 0
    package private(set) lazy var restorable = RestorableValues(graph: self)
    /// The scope of the ViewModel that is being wired, or nil outside of wiring.
    private(set) var taskScope: TaskScope?
    /// The name of the output whose signals are being made, as a C string, or nil.
    private(set) var madeMember: UnsafePointer<UInt8>?

    /// Creates the graph of a session, whose next change continues after step `sequence`.
    ///
    /// The host must outlive the graph.
    package init(host: any GraphHost, session: any GraphSession, place: ActivityPlace, sequence: Int) {
        self.host = host
        self.place = place
        self.session = session
        lastSequence = sequence
        Self.nameComputations()
    }

    /// Whether a step is running.
    package var isStepping: Bool { depth > 0 }

    /// The number of the step to which a change made now will belong.
    var pendingSequence: Int { sequence + 1 }

    // MARK: Steps

    /// Runs `body` as a step, or as a part of the step that is running.
    package func step<Result>(_ body: () throws -> Result) rethrows -> Result {
        beginStep()
        defer { endStep() }
        return try body()
    }

    /// Opens a step.
    ///
    /// Each call is paired with ``endStep()``.
    @inline(never)
    package func beginStep() {
        if depth == 0 {
            let activity = thread_activity_here()
            outer = activity.pointee.graph
            activity.pointee.graph = identity
            if activity.pointee.place == nil { thread_activity_set_place(activity, place.pointer, -1) }
            thread_activity_enter(activity)
        }
        depth += 1
    }

    /// Closes a step.
    ///
    /// The outermost step commits and then runs each later step.
    @inline(never)
    package func endStep() {
        if depth == 1 {
            commit()
            if !laterSteps.isEmpty { runLaterSteps() }
        }
        depth -= 1
        if depth == 0 {
            let activity = thread_activity_here()
            activity.pointee.graph = outer
            if outer == nil { thread_activity_leave(activity) }
        }
    }

    /// Runs the later steps, and those that they request.
    private func runLaterSteps() {
        var (length, rest) = (1, laterSteps.count)
        // The session may end while a frame of a step is written.
        while !laterSteps.isEmpty, !isClosed {
            if rest == 0 {
                length += 1
                rest = laterSteps.count
                isChainTooLong = length > Self.chainLimit
            }
            rest -= 1
            let next = laterSteps.removeFirst()
            next()
            commit()
        }
        isChainTooLong = false
    }

    /// The largest number of steps of which each one has requested the next one.
    private static var chainLimit: Int { 10_000 }

    /// Runs `body` in a step now.
    ///
    /// During a step, `body` runs after its commit instead (trampoline).
    ///
    /// A call from outside of the session, or in a ``Derived``, is an author's mistake. It ends the session, and
    /// `body` does not run.
    func stepLater(of object: AnyObject, _ body: @escaping () -> Void) {
        if isChainTooLong, isInStep {
            fail(.repeatsItself, of: object)
        } else if isInStep || isCurrent, let evaluating {
            fail(.insideDerived(.run), of: object, computing: evaluating.derived)
        } else if isInStep {
            laterSteps.append(body)
        } else if !isCurrent {
            fail(.outsideSession(.run), of: object)
        } else {
            step(body)
        }
    }

    // MARK: Mistakes of authors

    /// Whether the caller runs inside of a step of this graph.
    private var isInStep: Bool {
        let running = thread_activity_current().pointee.graph
        return running == identity || running.map(isStepping(around:)) ?? false
    }

    private func isStepping(around inner: UnsafeRawPointer) -> Bool {
        guard let next = Unmanaged<Graph>.fromOpaque(inner).takeUnretainedValue().outer else { return false }
        return next == identity || isStepping(around: next)
    }

    private var identity: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }

    /// Whether the caller is on the session's thread, in a step or between two.
    private var isCurrent: Bool { session?.isCurrent ?? false }

    /// The caller's thread.
    ///
    /// The C library declares that `pthread_self` always returns the same value, so the compiler may keep it while a task
    /// waits and goes on in another thread. It does not look into a function that it must not optimise.
    @inline(never)
    @_optimize(none)
    package static var thread: UInt { pthread_self() }

    /// Checks that the caller may write: inside of a step and outside of a ``Derived``.
    ///
    /// Returns false after a mistake, which ends the session. The caller must not change the value then.
    func mayWrite(_ object: AnyObject, _ operation: AuthorMistake.Operation = .write) -> Bool {
        guard isInStep else {
            fail(.outsideSession(operation), of: object)
            return false
        }
        guard evaluating == nil else {
            fail(.insideDerived(operation), of: object, computing: evaluating?.derived)
            return false
        }
        // After a mistake the step goes on with made-up values.
        return failure == nil
    }

    /// Ends the session because of an author's mistake.
    ///
    /// Called on any thread.
    func fail(_ mistake: AuthorMistake, of object: AnyObject? = nil, computing derived: Node? = nil) {
        guard let session else { return }
        let incident = session.endLater(because: mistake, of: object, computing: derived)
        if isInStep { failure = incident }
    }

    /// Runs `body` after the commit of this step, when its frames have been written.
    ///
    /// Between steps it runs at once.
    package func afterCommit(_ body: @escaping () -> Void) {
        if depth == 0 {
            body()
        } else {
            afterCommitBodies.append(body)
        }
    }

    /// Records that this step created an instance, which makes it a step with a number.
    package func markInstanceCreated() {
        instanceMade = true
    }

    func mark(_ output: AnyOutput) {
        guard !isClosed else { return }
        if let lastMarked { lastMarked._withUnsafeGuaranteedRef { $0.next = output } } else { firstMarked = output }
        lastMarked = Unmanaged.passUnretained(output)
    }

    private func takeMarked() -> AnyOutput? {
        guard let output = firstMarked.take() else { return nil }
        firstMarked = output.next.take()
        if firstMarked == nil { lastMarked = nil }
        return output
    }

    /// Commits the changes of the step, and those that the commit causes.
    ///
    /// A body that runs after the commit may change outputs. So may a ViewModel that observes a client that leaves
    /// while its frame is written. Each round of such changes is a step with its own number.
    private func commit() {
        repeat {
            if firstMarked != nil || instanceMade {
                let (host, step) = (host, pendingSequence)
                var isChanged = instanceMade
                instanceMade = false
                // Committing an output only reads, so no output is marked meanwhile.
                while let output = takeMarked() {
                    guard !output.isClosed, output.commit() else { continue }
                    output.changedAt = step
                    isChanged = true
                    host.changed(output, in: step)
                }
                if isChanged {
                    lastSequence = step
                    host.committed()
                }
            }
            if !afterCommitBodies.isEmpty {
                let bodies = afterCommitBodies
                afterCommitBodies.removeAll()
                for body in bodies {
                    body()
                }
            }
        } while firstMarked != nil || instanceMade || !afterCommitBodies.isEmpty
    }

    /// Releases the graph's references to ViewModels because the session has ended.
    ///
    /// Marked outputs, timers and restorable values retain the graph. A session that ends in the middle of a step, such
    /// as one whose only client closes its connection while a frame is written, would otherwise leak them.
    package func close() {
        isClosed = true
        while takeMarked() != nil {}
        let ended = timers
        timers = [:]
        for timer in ended.values { timer.scheduled.cancel() }
        restorable.removeAll()
    }

    // MARK: Saving

    /// Adds work that runs before each save.
    func add(_ preparation: SavePreparation) {
        preparations.removeAll { $0() == nil }
        preparations.append { [weak preparation] in preparation }
    }

    /// Runs the work before a save, in a step.
    package func prepareToSave() {
        guard !preparations.isEmpty else { return }
        step {
            for preparation in preparations { preparation()?.run() }
        }
    }

    // MARK: Timers

    /// Runs `body` in its own step after `delay` on the session's clock, unless the timer is cancelled or released.
    func schedule(after delay: Duration, _ body: @escaping () -> Void) -> SessionTimer {
        guard isCurrent else {
            fail(.outsideSession(.start))
            return SessionTimer(graph: self, number: 0)
        }
        guard !isClosed else { return SessionTimer(graph: self, number: 0) }
        nextTimer += 1
        let number = nextTimer
        timers[number] = (body, .current, host.schedule(timer: number, after: delay))
        return SessionTimer(graph: self, number: number)
    }

    /// Runs the timer of this number.
    ///
    /// The host calls it when the timer is due.
    package func fire(timer number: Int) {
        guard let entry = timers.removeValue(forKey: number) else { return }
        if let activity = entry.activity { enter(activity.place, member: activity.member) }
        step(entry.body)
    }

    /// Cancels a timer.
    ///
    /// Another thread, on which the owner may be released, cancels it with a hop to the session.
    package func cancel(timer number: Int) {
        if isCurrent {
            timers.removeValue(forKey: number)?.scheduled.cancel()
        } else {
            session?.cancelLater(timer: number)
        }
    }

    /// The time of the session's clock, or zero after the session has ended.
    var now: Duration { session?.now ?? .zero }

    // MARK: JSON

    /// Encodes a value as JSON text.
    package func encode<Value: Encodable>(_ value: Value) throws -> [UInt8] {
        scratch.bytes.removeAll(keepingCapacity: true)
        try scratch.encode(value)
        // Outputs keep their texts, so each is copied to an array of its exact size.
        let text = Array(scratch.bytes[...])
        // An idle session must not keep a large buffer.
        if scratch.bytes.capacity > 4096 { scratch = JSONWriter() }
        return text
    }

    /// Decodes a value from JSON text.
    package static func decode<Value: Decodable>(_ type: Value.Type, from text: [UInt8]) throws -> Value {
        try text.withUnsafeBytes { text in
            // The decoder requires valid JSON, and the file may have been edited by hand.
            try JSONText.validate(text)
            return try JSONValueDecoder.decode(type, from: text)
        }
    }

    // MARK: Wiring

    /// The graph of the cells, inputs, outputs and actions that are created now.
    ///
    /// Outside of wiring, a step of a session ends the session, and any other code traps.
    static var current: Graph {
        if let reference = GraphReference.current { return reference.graph }
        guard let running = thread_activity_current().pointee.graph else {
            fatalError(
                """
                Cells, inputs, outputs and actions are made in the init of a ViewModel that a session hosts; \
                in a test, make it inside a Harness of ViewModelTesting
                """
            )
        }
        let graph = Unmanaged<Graph>.fromOpaque(running).takeUnretainedValue()
        graph.fail(.madeLate(by: Activity.current?.name ?? "the code"))
        return graph
    }

    /// Names the signals of an output that `body` makes.
    func making<Result>(_ name: StaticString, _ body: () -> Result) -> Result {
        let outer = madeMember
        madeMember = name.utf8Start
        defer { madeMember = outer }
        return body()
    }

    /// Whether an object is being created.
    var isWiring: Bool { taskScope != nil }

    /// Makes this graph the current one while `body` creates objects.
    ///
    /// They live as long as `taskScope`, or as the scope that is being wired already. Their restorable values belong to
    /// `owner`: an instance and its type, or twice the name of a shared model.
    package func wiring<Result>(
        _ taskScope: TaskScope? = nil,
        owner: RestorableValues.Owner? = nil,
        _ body: () throws -> Result
    ) rethrows -> Result {
        let outer = self.taskScope
        self.taskScope = taskScope ?? outer
        defer { self.taskScope = outer }
        return try GraphReference.$current.withValue(GraphReference(graph: self)) {
            if let owner { try restorable.owned(by: owner, body) } else { try body() }
        }
    }
}

/// A reference that passes a graph through a task-local value.
///
/// `@unchecked Sendable`, because a task-local value must be `Sendable`. Proof: only the synchronous
/// ``Graph/wiring(_:owner:_:)`` binds it, on the session's executor. Only initialisers inside of that call read it, on the
/// same thread. A child task that inherits the value would have to call an initialiser of this module outside of its
/// session, which the confinement of ViewModels forbids.
private struct GraphReference: @unchecked Sendable {
    @TaskLocal static var current: GraphReference?

    unowned let graph: Graph
}

/// An asynchronous operation that clients call.
///
/// It ends with a result or an error.
///
/// The framework checks the params, the retry key, the policy and the gate. It maintains `executing`, `enabled` and
/// `progress`, and handles cancellation and deadlines. The body runs on the session, and each stretch between two
/// suspensions is a step. It throws ``ActionFailure`` for expected failures, ``InvalidValue`` for params that turn out
/// to be wrong, and ``LimitExceeded`` for a limit. Any other error is an incident. The body must stop when its task is
/// cancelled. Isolation: confined to its session.
public class Action<Parameters, Result>: AnyAction {
    enum Body {
        case immediate((Parameters) throws -> Result)
        case suspending((Parameters, Execution) async throws -> Result)
    }

    private var body: Body?
    /// Whether a reason for a run has occurred, and the run has not begun.
    private var isDue = false
    /// The number of runs that were due, so that a later step knows whether its run was dropped.
    private var dueCount = 0
    /// The observer of the closed gate, for which a run waits.
    private var gateObserver: SourceObserver?
    /// Encodes the result.
    ///
    /// The declaration sets it, because `Void` has no encoding.
    package var encodeResult: ((Result) throws -> [UInt8])?

    init(condition: Signal<Bool>?, body: Body) {
        self.body = body
        super.init(condition: condition)
    }

    /// Creates an action that ends within one step.
    ///
    /// - Parameters:
    ///   - condition: the gate of the action. Without one, the gate is always open.
    ///   - runs: when the action runs by itself.
    ///   - body: runs on the session and returns the result.
    public convenience init(
        enabled condition: Signal<Bool>? = nil,
        runs: ActionRuns<Parameters> = .whenCalled,
        _ body: @escaping (Parameters) throws -> Result
    ) {
        self.init(condition: condition, body: .immediate(body))
        begin(runs)
    }

    /// Creates an action that may suspend.
    ///
    /// - Parameters:
    ///   - condition: the gate of the action. Without one, the gate is always open.
    ///   - runs: when the action runs by itself.
    ///   - body: runs on the session. Do not write a capture list, because in Swift 6.3 an async closure with one
    ///     (`[weak self] in`) loses its caller's isolation. The framework releases the body when the instance is
    ///     closed.
    public convenience init(
        enabled condition: Signal<Bool>? = nil,
        runs: ActionRuns<Parameters> = .whenCalled,
        _ body: @escaping (Parameters) async throws -> Result
    ) {
        self.init(condition: condition, body: .suspending { parameters, _ in try await body(parameters) })
        begin(runs)
    }

    /// Creates an action that may suspend and that reports its progress.
    public convenience init(
        enabled condition: Signal<Bool>? = nil,
        _ body: @escaping (Parameters, Execution) async throws -> Result
    ) {
        self.init(condition: condition, body: .suspending(body))
    }

    private func begin(_ runs: ActionRuns<Parameters>) {
        if let parameters = runs.parameters { runOnce(parameters) }
        guard !runs.changes.isEmpty else { return }
        // The observed values may read members that are made after this one.
        graph.afterCommit { [weak self, weak scope = graph.taskScope] in
            for observe in runs.changes {
                scope?.retain(observe { [weak self] in self?.apply($0) })
            }
        }
    }

    private func apply(_ change: ActionRuns<Parameters>.Change) {
        switch change {
        case .run(let parameters): runOnce(parameters)
        case .wait: dropRun()
        case .end:
            dropRun()
            graph.stepLater(of: self) { self.cancel() }
        }
    }

    /// Runs the action in a step of its own, once for all reasons that occur before, and not before its gate opens.
    private func runOnce(_ parameters: Parameters) {
        guard !isDue else { return }
        isDue = true
        dueCount += 1
        graph.stepLater(of: self) { [number = dueCount] in
            if number == self.dueCount { self.runIfOpen(parameters) }
        }
    }

    /// Drops the run that waits, because a later one replaces it.
    private func dropRun() {
        isDue = false
        gateObserver = nil
    }

    private func runIfOpen(_ parameters: Parameters) {
        guard isDue, body != nil else { return }
        if let condition, !condition.untracked {
            if gateObserver != nil { return }
            gateObserver = SourceObserver(of: condition) { [weak self] in
                guard let self else { return }
                graph.stepLater(of: self) { self.runIfOpen(parameters) }
            }
        } else {
            dropRun()
            callItself(parameters)
        }
    }

    /// Calls the action from within the ViewModel.
    ///
    /// If it is admitted, it runs until it ends.
    public final func run(_ parameters: Parameters) {
        graph.stepLater(of: self) { self.callItself(parameters) }
    }

    private func callItself(_ parameters: Parameters) {
        graph.running(activity) { call(parameters, by: nil) { [] } }
    }

    /// Admits or refuses a call and starts it, as a part of the running step.
    ///
    /// A call of the ViewModel itself has no caller. `text` returns the params as JSON, for a call with a retry key.
    package final func call(
        _ parameters: Parameters,
        by caller: ActionCaller?,
        _ text: () throws -> [UInt8]
    ) rethrows {
        if let caller, let key = caller.key {
            caller.keyed = KeyedCall(key: key, parameters: graph.host.digest(of: try text(), key: key))
        }
        admit(caller, row(of: parameters)) { [weak self] execution in self?.perform(parameters, execution) }
    }

    /// Returns the id of the row of an execution with these params, or nil if executions are not listed.
    func row(of parameters: Parameters) -> AnyHashable? { nil }

    private func perform(_ parameters: Parameters, _ execution: Execution) {
        guard let body else { return }
        // The action of a ViewModel that is not hosted has no encoding. Nothing closes it, and its body may retain the
        // ViewModel.
        guard let encodeResult else { return close() }
        switch body {
        case .immediate(let body):
            finish(execution, Swift.Result { try encodeResult(try body(parameters)) })
        case .suspending(let body):
            start(execution) { try encodeResult(try await body(parameters, execution)) }
        }
    }

    override package func close(_ outcome: ActionOutcome = .cancelled) {
        super.close(outcome)
        body = nil
        gateObserver = nil
    }
}

extension Action where Parameters == Void {
    /// Creates an action without params that may suspend and that reports its progress.
    ///
    /// - Parameters:
    ///   - condition: the gate of the action. Without one, the gate is always open.
    ///   - runs: when the action runs by itself.
    ///   - body: runs on the session and returns the result.
    public convenience init(
        enabled condition: Signal<Bool>? = nil,
        runs: ActionRuns<Parameters> = .whenCalled,
        _ body: @escaping (Execution) async throws -> Result
    ) {
        self.init(condition: condition, body: .suspending { _, execution in try await body(execution) })
        begin(runs)
    }

    /// Calls the action from within the ViewModel.
    ///
    /// If it is admitted, it runs until it ends.
    public func run() {
        run(())
    }
}

/// When an action runs by itself, or an array of several reasons.
///
/// The same checks apply as for a client's call, but a run waits while the gate is closed. Reasons that occur before a run
/// begins cause one run.
public struct ActionRuns<Parameters>: ExpressibleByArrayLiteral {
    /// The params with which it runs at first, or nil.
    fileprivate var parameters: Parameters?
    /// The functions that begin to observe changes, and return the object that ends it with its release.
    fileprivate var changes: [(@escaping (Change) -> Void) -> AnyObject] = []

    /// What a change means for the action.
    fileprivate enum Change {
        case run(Parameters)
        /// The action runs later, and a run that waits is dropped.
        case wait
        /// A run that waits is dropped, and the executions are cancelled.
        case end
    }

    /// Only when it is called.
    public static var whenCalled: ActionRuns { [] }

    /// Creates the union of several reasons.
    public init(arrayLiteral elements: ActionRuns...) {
        // A key path of a generic type would be built anew at each use, which costs more than the rest of an action.
        parameters = elements.lazy.compactMap { $0.parameters }.first
        changes = elements.flatMap { $0.changes }
    }
}

extension ActionRuns where Parameters == Void {
    /// Once after the instance was created or restored, after the step that creates it.
    public static var atOpen: ActionRuns {
        var runs = whenCalled
        runs.parameters = ()
        return runs
    }

    /// After each step that has changed a value, in a step of its own.
    ///
    /// - Parameters:
    ///   - source: the value. A restored value is no change.
    ///   - interval: the time for which the value has to stay unchanged on the session's clock, such as 500 ms for a text
    ///     that is typed.
    /// - Returns: the reason.
    public static func onChange<Value>(of source: Signal<Value>, after interval: Duration = .zero) -> ActionRuns {
        var runs = whenCalled
        runs.changes = [
            { apply in
                SourceObserver(of: source, after: interval, waits: { apply(.wait) }, { apply(.run(())) })
            }
        ]
        return runs
    }

    /// While a condition is true: when it becomes true, also at first and after a restoration.
    ///
    /// When it becomes false, all executions are cancelled. A run that has ended by itself begins again only after the
    /// condition was false. A policy `queued` or `latest` lets the next run begin after one that does not stop at once.
    ///
    /// - Parameter condition: the condition.
    /// - Returns: the reason.
    public static func `while`(_ condition: Signal<Bool>) -> ActionRuns {
        var runs = whenCalled
        runs.changes = [
            { apply in
                var isOn = condition.untracked
                if isOn { apply(.run(())) }
                return SourceObserver(of: condition) {
                    guard condition.untracked != isOn else { return }
                    isOn.toggle()
                    apply(isOn ? .run(()) : .end)
                }
            }
        ]
        return runs
    }
}

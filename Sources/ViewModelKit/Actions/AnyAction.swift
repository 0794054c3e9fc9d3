internal import Logging
import ViewModelContract

/// An action of any type: admission, policies and outputs.
///
/// Isolation: confined to its session.
public class AnyAction {
    package let graph: Graph
    /// The effect of a call while another one executes.
    ///
    /// The declaration sets it.
    package var policy = ActionPolicy.exclusive
    // The flags share a word with the policy.
    private var isClosed = false
    /// The errors of calls of the ViewModel itself, of which each is logged once.
    private var loggedErrors: Set<String> = []
    let condition: Signal<Bool>?
    /// The action in the log of what a thread runs; the instance sets it.
    package var activity: Activity?
    // Created on first use.
    private lazy var executingCell = graph.wiring { Cell(false) }
    private(set) lazy var progressCell = graph.wiring { Cell<Double?>(nil) }
    private var failureCell: Cell<ActionFailure?>?
    private var running: [Execution] = []
    private var queue: [Execution] = []
    private(set) weak var newest: Execution?
    private var keys = RetryKeys<Execution>()
    private var countedBytes = 0

    init(condition: Signal<Bool>?) {
        self.graph = .current
        self.condition = condition
    }

    /// Whether an execution is running.
    public final var isExecuting: Signal<Bool> { executingCell }

    /// The failure of the execution that has ended last; nil after a success.
    ///
    /// A cancelled execution does not change it. Any error that the action does not declare is the failure `incident`, whose
    /// message has the incident's id and nothing of the error.
    public final var failure: Signal<ActionFailure?> { keptFailure }

    /// The cell, which is made for the first read or the first failure.
    private var keptFailure: Cell<ActionFailure?> {
        if let failureCell { return failureCell }
        let new = graph.wiring { Cell<ActionFailure?>(nil) }
        failureCell = new
        return new
    }

    /// Creates the action's outputs: `enabled`, `executing` and `progress`.
    package final func makeOutputs() -> [AnyOutput] {
        // The outputs may be refreshed once more in the step that closes the instance and releases this action.
        let (condition, executing, isExclusive) = (condition, executingCell, policy.kind == .exclusive)
        return graph.wiring {
            [
                Output { (condition?.value ?? true) && !(isExclusive && executing.value) },
                Output(executing),
                Output(progressCell),
            ]
        }
    }

    // MARK: Admission

    /// Admits or refuses a call: checks the retry key, the policy, the gate and the limits, in this order.
    ///
    /// The params are decoded already.
    final func admit(
        _ caller: ActionCaller?,
        _ row: AnyHashable?,
        _ body: @escaping (Execution) -> Void
    ) {
        guard !isClosed else { return refuse(caller, .cancelled) }
        defer { countBytes() }
        if let caller, let keyed = caller.keyed, let earlier = keys.call(of: keyed.key, now: graph.now) {
            guard earlier.hasParameters(of: keyed) else { return refuse(caller, .invalid(.reusedKey)) }
            if let outcome = earlier.outcome.outcome { return refuse(caller, outcome) }
            return wait(caller, for: earlier.outcome)
        }
        if case .exclusive = policy.kind, !running.isEmpty { return refuse(caller, .executing) }
        if case .shared = policy.kind, let current = running.first(where: { !$0.isCancelled }) {
            return join(caller, current)
        }
        guard condition?.untracked ?? true else { return refuse(caller, .disabled) }
        if let row, (running + queue).contains(where: { $0.row == row }) {
            return refuse(caller, .failure(.alreadyExecuting))
        }
        let limit = graph.host.executionLimit
        guard running.count + queue.count < limit else {
            return refuse(caller, .limitExceeded(limit: "limits.executions", value: limit))
        }
        do throws(LimitExceeded) {
            try graph.host.checkRoom(for: caller?.parameterBytes ?? 0, isBrief: true)
        } catch {
            return refuse(caller, .limitExceeded(limit: error.limit, value: error.value))
        }
        if case .latest = policy.kind {
            for execution in running {
                execution.stop(.cancelled)
            }
        }
        let execution = Execution(of: self, for: caller, row: row, body)
        join(caller, execution)
        if running.count < policy.limit {
            begin(execution)
        } else {
            queue.append(execution)
            execution.show()
        }
    }

    private func join(_ caller: ActionCaller?, _ execution: Execution) {
        guard let caller else { return }
        if let keyed = caller.keyed {
            execution.retryKey = keyed.key
            keys.remember(keyed, outcome: execution, now: graph.now)
        }
        wait(caller, for: execution)
    }

    private func wait(_ caller: ActionCaller, for execution: Execution) {
        guard caller.isAwaited || execution.callers.isEmpty else {
            // A notification cannot be cancelled, so the execution continues for it. The caller need not be kept.
            execution.isOwn = true
            return
        }
        execution.callers.append(caller)
        caller.wait(for: execution, on: graph)
    }

    private func refuse(_ caller: ActionCaller?, _ outcome: ActionOutcome) {
        guard let caller else { return logOwnRun(outcome) }
        graph.afterCommit { caller.answer(outcome) }
    }

    /// Logs why a call of the ViewModel itself did not succeed, without values, which may be a user's.
    private func logOwnRun(_ outcome: ActionOutcome) {
        let error: String
        switch outcome {
        case .success, .cancelled, .deadlinePassed, .fault: return
        case .failure(let failure): error = failure.error
        case .invalid: error = "a value is invalid"
        case .limitExceeded(let limit, _): error = "\(limit) is exceeded"
        case .executing: error = "it was refused, because it executes"
        case .disabled: error = "it was refused, because it is disabled"
        }
        guard loggedErrors.insert(error).inserted else { return }
        graph.host.logger.warning(
            "An action that no client called did not succeed",
            metadata: ["action": "\(graph.host.nameForLog(of: self))", "error": "\(error)"]
        )
    }

    // MARK: Executions

    /// Updates the row of a listed execution, or removes the row of one that has ended.
    func show(_ execution: Execution) {}

    private func begin(_ execution: Execution) {
        running.append(execution)
        newest = execution
        executingCell.value = true
        progressCell.value = nil
        execution.begin()
    }

    /// Runs `body` in a task of the session.
    ///
    /// The stretch before its first suspension runs at once.
    final func start(_ execution: Execution, _ body: @escaping () async throws -> [UInt8]) {
        // No capture list, because with one Swift 6.3 runs the closure outside of the session.
        let task = graph.running(activity) {
            graph.session?.spawn {
                do {
                    let result = try await body()
                    self.finish(execution, .success(result))
                } catch {
                    self.finish(execution, .failure(error))
                }
            }
        }
        if execution.outcome == nil {
            execution.task = task
            if let task { activity?.begin(in: task) }
            // The execution was stopped before `spawn` returned the task.
            if execution.isCancelled { task?.cancel() }
        }
    }

    final func finish(_ execution: Execution, _ result: Result<[UInt8], any Error>) {
        let outcome: ActionOutcome =
            switch result {
            case .success(let text): .success(text)
            case .failure(let failure as ActionFailure): .failure(failure)
            case .failure(let error as any ActionError): .failure(error.failure)
            case .failure(let invalid as InvalidValue): .invalid(invalid)
            case .failure(let exceeded as LimitExceeded): .limitExceeded(limit: exceeded.limit, value: exceeded.value)
            case .failure(is CancellationError): .cancelled
            case .failure where execution.isCancelled: .fault(incident: "")
            case .failure(let error): .fault(incident: graph.host.incident(error, in: graph.host.nameForLog(of: self)))
            }
        guard !isClosed else { return }
        if execution.isOwn, execution.callers.isEmpty, !execution.isCancelled { logOwnRun(outcome) }
        running.removeAll { $0 === execution }
        if newest === execution { progressCell.value = nil }
        let failure = outcome.failure
        if failureCell != nil || failure != nil, !execution.isCancelled, outcome != .cancelled {
            keptFailure.value = failure
        }
        if case .failure(let failure) = outcome, failure.isForgotten { keys.forget { $0 === execution } }
        execution.conclude(outcome)
        execution.parameterBytes = 0
        if let key = execution.retryKey { keys.grow(key, by: execution.outcomeBytes) }
        countBytes()
        if !queue.isEmpty, running.count < policy.limit {
            begin(queue.removeFirst())
        } else if running.isEmpty {
            executingCell.value = false
        }
    }

    // MARK: Cancellation by the ViewModel

    /// Cancels all executions, those that wait included.
    ///
    /// Their callers get -32800 when the bodies have ended. Call it in a step of the session.
    public final func cancel() {
        cancel { _ in true }
    }

    /// Cancels some of the executions.
    @discardableResult
    final func cancel(where isIncluded: (Execution) -> Bool) -> Bool {
        guard graph.mayWrite(self, .cancel) else { return false }
        let cancelled = (running + queue).filter(isIncluded)
        for execution in cancelled { execution.stop(.cancelled) }
        return !cancelled.isEmpty
    }

    final func dequeue(_ execution: Execution) -> Bool {
        guard let index = queue.firstIndex(where: { $0 === execution }) else { return false }
        queue.remove(at: index)
        execution.parameterBytes = 0
        countBytes()
        return true
    }

    // MARK: Retry keys of another life of the session

    /// The calls with a retry key whose execution has not ended.
    package final var unfinishedKeyedCalls: [KeyedCall] { keys.calls { $0.outcome == nil } }

    /// Remembers a call that an earlier life of the session has carried out.
    ///
    /// Calls are restored in their order, before the first new one.
    package final func restore(_ call: KeyedCall, _ outcome: ActionOutcome, age: Duration) {
        let execution = Execution(of: self, for: nil, outcome: outcome)
        execution.retryKey = call.key
        keys.remember(call, outcome: execution, now: graph.now - age)
        keys.grow(call.key, by: execution.outcomeBytes)
        countBytes()
    }

    /// Passes the outcome of an execution on to the host, for the calls with a retry key.
    final func remember(_ execution: Execution, _ outcome: ActionOutcome) {
        guard !isClosed else { return }
        graph.host.remembered(outcome, of: keys.calls { $0 === execution }, by: self)
    }

    /// Reports to the host the change of the bytes that the action holds for its user.
    private func countBytes() {
        var bytes = keys.bytes
        for execution in running { bytes += execution.parameterBytes }
        for execution in queue { bytes += execution.parameterBytes }
        guard bytes != countedBytes else { return }
        graph.host.count(heldBytes: bytes - countedBytes)
        countedBytes = bytes
    }

    /// Cancels all executions and releases their closures, because the instance has ended.
    package func close(_ outcome: ActionOutcome = .cancelled) {
        guard !isClosed else { return }
        isClosed = true
        keys = RetryKeys()
        let ended = running + queue
        running = []
        queue = []
        for execution in ended {
            let task = execution.task
            execution.conclude(outcome)
            task?.cancel()
        }
        countBytes()
    }
}

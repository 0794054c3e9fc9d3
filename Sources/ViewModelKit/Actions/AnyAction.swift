/// An action of any type: the gate, the policies, and what clients see of it.
///
/// Isolation: confined to its session.
public class AnyAction {
    package let graph: Graph
    /// What a call does while another one executes; from the declaration.
    package var policy = ActionPolicy.exclusive
    private let condition: Signal<Bool>?
    // Made when somebody looks or calls.
    private lazy var executingCell = graph.wiring { Cell(false) }
    private(set) lazy var progressCell = graph.wiring { Cell<Double?>(nil) }
    private var running: [Execution] = []
    private var queue: [Execution] = []
    private(set) weak var newest: Execution?
    private var keys = RetryKeys()
    private var isClosed = false

    init(condition: Signal<Bool>?) {
        self.graph = .current
        self.condition = condition
    }

    /// Whether something executes.
    public final var isExecuting: Signal<Bool> { executingCell }

    /// The action's own outputs: `enabled`, `executing`, `progress`.
    package final func makeOutputs() -> [AnyOutput] {
        graph.wiring {
            [
                Output { [unowned self] in isEnabledNow },
                Output(executingCell),
                Output(progressCell),
            ]
        }
    }

    private var isEnabledNow: Bool {
        (condition?.value ?? true) && !(policy == .exclusive && executingCell.value)
    }

    // MARK: The gate

    /// Passes a call through the gate: retry key, executing, condition.
    ///
    /// Its params are decoded already.
    final func admit(
        _ caller: ActionCaller?,
        key: (name: String, parameters: [UInt8])?,
        deadline: Int?,
        _ body: @escaping (Execution) -> Void
    ) {
        guard !isClosed else { return refuse(caller, .cancelled) }
        if let key, let earlier = keys.call(of: key.name, now: graph.host.now) {
            return repeated(caller, earlier, RetryKeys.digest(key.parameters), deadline: deadline)
        }
        if policy == .exclusive, !running.isEmpty { return refuse(caller, .executing) }
        if policy == .shared, let current = running.first(where: { !$0.isCancelled }) {
            return join(caller, current, key: key, deadline: deadline)
        }
        guard condition?.untracked ?? true else { return refuse(caller, .disabled) }
        if policy == .latest {
            for execution in running {
                execution.stop(.cancelled)
            }
        }
        let execution = Execution(of: self, isOwn: caller == nil, body)
        join(caller, execution, key: key, deadline: deadline)
        if policy == .queued, !running.isEmpty {
            queue.append(execution)
        } else {
            begin(execution)
        }
    }

    private func repeated(_ caller: ActionCaller?, _ call: RetryKeys.Call, _ parameters: Int, deadline: Int?) {
        guard call.parameters == parameters else {
            let fault = InvalidValue(
                path: "/_meta/key",
                expected: "the same params as in the first call with this key",
                found: "other params"
            )
            return refuse(caller, .invalid(fault))
        }
        if let outcome = call.execution.outcome {
            refuse(caller, outcome)
        } else {
            join(caller, call.execution, key: nil, deadline: deadline)
        }
    }

    private func join(
        _ caller: ActionCaller?,
        _ execution: Execution,
        key: (name: String, parameters: [UInt8])?,
        deadline: Int?
    ) {
        if let key {
            keys.remember(
                .init(
                    key: key.name,
                    parameters: RetryKeys.digest(key.parameters),
                    execution: execution,
                    seen: graph.host.now
                )
            )
        }
        guard let caller else { return }
        execution.join(caller)
        if let deadline { caller.setDeadline(deadline, on: graph) }
    }

    private func refuse(_ caller: ActionCaller?, _ outcome: ActionOutcome) {
        guard let caller else { return }
        graph.afterCommit { caller.answer(outcome) }
    }

    // MARK: Executions

    private func begin(_ execution: Execution) {
        running.append(execution)
        newest = execution
        executingCell.value = true
        progressCell.value = nil
        execution.begin()
    }

    /// Runs `body` to its end in a task of the session, its first stretch at once.
    final func start(_ execution: Execution, _ body: @escaping () async throws -> [UInt8]) {
        // No capture list: with one, Swift 6.3 would run the closure outside of the session.
        let task = graph.host.spawn {
            do {
                let result = try await body()
                self.finish(execution, .success(result))
            } catch {
                self.finish(execution, failure: error)
            }
        }
        if execution.outcome == nil {
            execution.task = task
            // Stopped during its own first stretch.
            if execution.isCancelled { task.cancel() }
        }
    }

    final func finish(_ execution: Execution, failure error: any Error) {
        let outcome: ActionOutcome =
            switch error {
            case let failure as ActionFailure: .failure(failure)
            case let invalid as InvalidValue: .invalid(invalid)
            case is CancellationError: .cancelled
            default: .fault(incident: execution.isCancelled ? "" : graph.host.incident(error, in: "an action"))
            }
        finish(execution, outcome)
    }

    final func finish(_ execution: Execution, _ outcome: ActionOutcome) {
        guard !isClosed else { return }
        running.removeAll { $0 === execution }
        if newest === execution { progressCell.value = nil }
        execution.conclude(outcome)
        if running.isEmpty {
            if queue.isEmpty {
                executingCell.value = false
            } else {
                begin(queue.removeFirst())
            }
        }
    }

    final func dequeue(_ execution: Execution) -> Bool {
        guard let index = queue.firstIndex(where: { $0 === execution }) else { return false }
        queue.remove(at: index)
        return true
    }

    /// Ends the action's life: everything is cancelled, its callers are told, its closures released.
    package func close() {
        guard !isClosed else { return }
        isClosed = true
        let ended = running + queue
        running = []
        queue = []
        for execution in ended {
            let task = execution.task
            execution.conclude(.cancelled)
            task?.cancel()
        }
    }
}

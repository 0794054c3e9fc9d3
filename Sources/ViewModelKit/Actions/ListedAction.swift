/// An action that lists its executions by an id from their params.
///
/// Its policy is ``ActionPolicy/concurrent``, ``ActionPolicy/concurrent(limit:)`` or ``ActionPolicy/queued``. An id has
/// one execution at a time: a call with the id of an execution that waits or runs fails with `alreadyExecuting`
/// (-32000). Isolation: confined to its session.
///
///     /// Downloads an episode.
///     @Action(.concurrent(limit: 2), id: "id")
///     func start(_ id: Int, _ execution: Execution) async throws { … }
///     /// The running and the waiting downloads.
///     @Output var downloads: Rows<ExecutionRow<Int>> { $start.executions }
///     /// Ends a download.
///     @Input func stop(_ id: Int) { $start.cancel(id: id) }
public final class ListedAction<Parameters, Result, ID: Hashable & Schemable>: Action<Parameters, Result> {
    /// The executions that wait or run, in the order of their calls.
    ///
    /// Only the action edits the list.
    public let executions: ListCell<ExecutionRow<ID>>
    private let id: (Parameters) -> ID

    /// Creates an action that may suspend.
    ///
    /// - Parameters:
    ///   - id: returns the id of an execution with these params.
    ///   - condition: the gate of the action. Without one, the gate is always open.
    ///   - body: runs on the session. Do not write a capture list, because in Swift 6.3 an async closure with one
    ///     (`[weak self] in`) loses its caller's isolation.
    public convenience init(
        id: @escaping (Parameters) -> ID,
        enabled condition: Signal<Bool>? = nil,
        _ body: @escaping (Parameters) async throws -> Result
    ) {
        self.init(id: id, enabled: condition) { parameters, _ in try await body(parameters) }
    }

    /// Creates an action that may suspend and that reports its progress.
    public init(
        id: @escaping (Parameters) -> ID,
        enabled condition: Signal<Bool>? = nil,
        _ body: @escaping (Parameters, Execution) async throws -> Result
    ) {
        self.id = id
        executions = ListCell()
        super.init(condition: condition, body: .suspending(body))
    }

    /// Cancels the execution with this id.
    ///
    /// Its callers get -32800. One that waits ends at once; one that runs is listed as `stopping` until its body has
    /// ended. Call it in a step of the session.
    ///
    /// - Parameter id: the id of the execution.
    /// - Returns: whether there was one.
    @discardableResult
    public func cancel(id: ID) -> Bool {
        cancel { $0.row == AnyHashable(ExactID(id: id)) }
    }

    override func row(of parameters: Parameters) -> AnyHashable? { ExactID(id: id(parameters)) }

    override func show(_ execution: Execution) {
        guard let id = (execution.row?.base as? ExactID<ID>)?.id else { return }
        let row = ExecutionRow(
            id: id,
            state: execution.state,
            progress: execution.progress,
            attempt: execution.attempt
        )
        let shown = execution.outcome == nil ? row : nil
        if executions[id: id] != shown { executions[id: id] = shown }
    }
}

/// An execution of a ``ListedAction`` that waits or runs.
@Schemable
public struct ExecutionRow<ID: Hashable & Schemable>: Identifiable {
    /// The id from the params.
    public let id: ID
    /// Whether the execution waits, runs or stops.
    public let state: ExecutionState
    /// The progress from 0 to 1, or null if it is unknown.
    public let progress: Double?
    /// The number of the attempt, from 1 on.
    public let attempt: Int
}

/// The state of an execution that has not ended.
@Schemable
public enum ExecutionState: String, CaseIterable, Sendable {
    /// It waits until an earlier one has ended.
    case waiting
    /// It runs.
    case running
    /// It was cancelled and has not ended.
    case stopping
}

extension ActionFailure {
    /// The refusal of a call of a ``ListedAction`` whose id has an execution.
    static var alreadyExecuting: ActionFailure {
        ActionFailure("alreadyExecuting", message: FailureContract.alreadyExecuting.description, retryable: true)
    }
}

extension FailureContract {
    /// The failure of a call of a ``ListedAction`` whose id has an execution.
    ///
    /// `@ViewModel` adds it to the contract of the action.
    public static var alreadyExecuting: FailureContract {
        FailureContract("alreadyExecuting", "An execution with this id has not ended.", retryable: true)
    }
}

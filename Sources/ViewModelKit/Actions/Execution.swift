/// One run of an action, as its body sees it.
///
/// Isolation: confined to its session.
public final class Execution {
    weak var action: AnyAction?
    /// The body.
    ///
    /// It captures the params and is therefore released with the outcome.
    private var body: ((Execution) -> Void)?
    var callers: [ActionCaller] = []
    /// Whether the execution continues without callers, because the ViewModel or a notification started it.
    var isOwn: Bool
    var task: Task<Void, Never>?
    private(set) var outcome: ActionOutcome?
    /// The reason for which the execution was stopped, or nil.
    private(set) var stopped: ActionOutcome?

    /// Creates the execution of a call, or of one that has ended in an earlier life of the session.
    init(
        of action: AnyAction,
        for caller: ActionCaller?,
        row: AnyHashable? = nil,
        outcome: ActionOutcome? = nil,
        _ body: ((Execution) -> Void)? = nil
    ) {
        self.action = action
        self.row = row
        self.outcome = outcome
        self.body = body
        isOwn = caller == nil
        parameterBytes = caller?.parameterBytes ?? 0
    }

    /// The progress from 0 to 1, or nil if it is unknown.
    ///
    /// Values outside of this range are clamped.
    ///
    /// Clients see the progress of the newest execution. A ``ListedAction`` lists the progress of each one.
    public var progress: Double? {
        didSet {
            progress = progress.map { min(max($0, 0), 1) }
            if action?.newest === self { action?.progressCell.value = progress }
            show()
        }
    }

    /// The number of the attempt, from 1 on, which ``retry(_:after:if:_:)`` counts.
    public internal(set) var attempt = 1 {
        didSet { show() }
    }

    /// The id of the execution's row, or nil if the action does not list its executions.
    private(set) var row: AnyHashable?
    /// Whether the body has begun.
    private(set) var hasBegun = false
    /// The state in the execution's row.
    var state: ExecutionState { isCancelled ? .stopping : hasBegun ? .running : .waiting }

    /// The retry key for which the outcome is kept; nil if the caller gave none.
    public internal(set) var retryKey: String?
    /// The bytes of the params, which the execution holds until it ends.
    var parameterBytes: Int

    /// The size of the outcome in bytes.
    var outcomeBytes: Int {
        switch outcome {
        case .success(let text): text.count
        case .failure(let failure):
            failure.error.utf8.count + (failure.message?.utf8.count ?? 0) + (failure.details?.text.utf8.count ?? 0)
        default: 0
        }
    }

    /// Whether the execution was stopped: its last caller left, the ViewModel cancelled it, or a later call replaced it
    /// under the policy `latest`.
    public var isCancelled: Bool { stopped != nil }

    /// Updates the execution's row, or removes it because the execution has ended.
    func show() {
        if row != nil { action?.show(self) }
    }

    func begin() {
        hasBegun = true
        show()
        body?(self)
    }

    /// Removes a caller that stopped waiting.
    ///
    /// Stops the execution if no other caller waits and `isOwn` is false.
    func remove(_ caller: ActionCaller, with earlyOutcome: ActionOutcome) {
        guard let action else { return caller.answer(earlyOutcome) }
        let others = callers.contains { $0 !== caller && !$0.isAnswered && !$0.isGone && $0.earlyOutcome == nil }
        if others || isOwn {
            callers.removeAll { $0 === caller }
            action.graph.afterCommit { caller.answer(earlyOutcome) }
        } else {
            stop(earlyOutcome)
        }
    }

    /// Stops the execution.
    ///
    /// A queued one ends at once, a running one gets its task cancelled.
    func stop(_ reason: ActionOutcome) {
        guard stopped == nil, outcome == nil else { return }
        stopped = reason
        if action?.dequeue(self) == true {
            conclude(reason)
        } else {
            show()
            task?.cancel()
        }
    }

    /// Ends the execution and delivers the outcome to its callers after the commit.
    func conclude(_ result: ActionOutcome) {
        let outcome = stopped ?? result
        self.outcome = outcome
        if retryKey != nil { action?.remember(self, outcome) }
        if let task { Activity.end(of: task) }
        task = nil
        body = nil
        show()
        row = nil
        let waiting = callers
        callers = []
        guard !waiting.isEmpty else { return }
        let answerAll = {
            for caller in waiting {
                caller.answer(caller.earlyOutcome ?? outcome)
            }
        }
        if let action { action.graph.afterCommit(answerAll) } else { answerAll() }
    }
}

/// One run of an action, as its body sees it.
///
/// Isolation: confined to its session.
public final class Execution {
    weak var action: AnyAction?
    /// Captures the params, so it is released with the outcome.
    private var body: ((Execution) -> Void)?
    var callers: [ActionCaller] = []
    /// Whether it goes on without callers: the ViewModel itself, or a notification, wants it.
    var isOwn: Bool
    var task: Task<Void, Never>?
    private(set) var outcome: ActionOutcome?
    /// Why it was stopped, once it was.
    private(set) var stopped: ActionOutcome?

    init(of action: AnyAction, isOwn: Bool, _ body: @escaping (Execution) -> Void) {
        self.action = action
        self.isOwn = isOwn
        self.body = body
    }

    /// How far the work is, from 0 to 1; nil when that cannot be told.
    ///
    /// Clients see that of the newest execution.
    public var progress: Double? {
        get { action?.newest === self ? action?.progressCell.untracked : nil }
        set {
            guard action?.newest === self else { return }
            action?.progressCell.value = newValue.map { min(max($0, 0), 1) }
        }
    }

    /// The retry key under which the execution is remembered.
    var key: String?
    /// The bytes of params that the execution holds until it ends.
    var parameterBytes = 0

    /// The bytes of the outcome.
    var outcomeBytes: Int {
        switch outcome {
        case .success(let text): text.count
        case .failure(let failure):
            failure.error.utf8.count + (failure.message?.utf8.count ?? 0) + (failure.details?.utf8.count ?? 0)
        default: 0
        }
    }

    /// Whether nobody waits for the outcome any more.
    public var isCancelled: Bool { stopped != nil }

    func begin() {
        body?(self)
    }

    func join(_ caller: ActionCaller) {
        caller.execution = self
        callers.append(caller)
    }

    /// One caller does not wait any longer; the last one's going stops the work.
    func left(by caller: ActionCaller, _ verdict: ActionOutcome) {
        guard let action else { return caller.answer(verdict) }
        let others = callers.contains { $0 !== caller && !$0.isAnswered && $0.verdict == nil }
        if others || isOwn {
            callers.removeAll { $0 === caller }
            action.graph.afterCommit { caller.answer(verdict) }
        } else {
            stop(verdict)
        }
    }

    /// Tells the work to stop.
    func stop(_ reason: ActionOutcome) {
        guard stopped == nil, outcome == nil else { return }
        stopped = reason
        if action?.dequeue(self) == true {
            conclude(reason)
        } else {
            task?.cancel()
        }
    }

    /// Ends the execution and tells its callers, after the commit.
    func conclude(_ result: ActionOutcome) {
        let outcome = stopped ?? result
        self.outcome = outcome
        task = nil
        body = nil
        let waiting = callers
        callers = []
        guard !waiting.isEmpty else { return }
        let tell = {
            for caller in waiting {
                caller.answer(caller.verdict ?? outcome)
            }
        }
        if let action { action.graph.afterCommit(tell) } else { tell() }
    }
}

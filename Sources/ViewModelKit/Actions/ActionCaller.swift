/// One who waits for an action: a request of a client.
package final class ActionCaller {
    /// How long work may go on after its last caller has gone before the caller is answered all the same.
    static var grace: Duration { .milliseconds(100) }

    private var reply: ((ActionOutcome) -> Void)?
    weak var execution: Execution?
    /// Why the caller does not wait any longer, once that is so.
    private(set) var verdict: ActionOutcome?
    private var timer: SessionTimer?
    /// Whether a client waits for the outcome; not after a notification.
    let isAwaited: Bool
    /// The bytes of the call's params, where they are worth counting.
    let parameterBytes: Int

    /// - Parameter reply: called once, after the commit of the step in which the outcome came about.
    package init(isAwaited: Bool = true, parameterBytes: Int = 0, reply: @escaping (ActionOutcome) -> Void) {
        self.isAwaited = isAwaited
        self.parameterBytes = parameterBytes
        self.reply = reply
    }

    /// Whether the outcome has been told.
    package var isAnswered: Bool { reply == nil }

    /// Gives up waiting: the caller gets `.cancelled`, and the work stops when nobody else waits for it.
    package func cancel() {
        giveUp(.cancelled)
    }

    /// Gives up waiting once `milliseconds` have passed on the session's clock.
    func setDeadline(_ milliseconds: Int, on graph: Graph) {
        guard !isAnswered else { return }
        timer = graph.schedule(after: .milliseconds(milliseconds)) { [weak self] in
            self?.giveUp(.deadlinePassed(milliseconds: milliseconds))
        }
    }

    func answer(_ outcome: ActionOutcome) {
        guard let reply else { return }
        self.reply = nil
        timer = nil
        execution = nil
        reply(outcome)
    }

    private func giveUp(_ outcome: ActionOutcome) {
        guard !isAnswered, verdict == nil, let execution else { return }
        verdict = outcome
        execution.left(by: self, outcome)
        guard !isAnswered else { return }
        // The work has been told to stop. A body that does not listen must not keep its caller waiting.
        timer = execution.action?.graph.schedule(after: Self.grace) { [weak self] in self?.answer(outcome) }
    }
}

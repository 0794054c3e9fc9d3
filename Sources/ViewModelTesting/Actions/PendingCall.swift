import ViewModelKit

/// A call of an action that a test has started.
///
/// The call continues after the release of this value.
public final class PendingCall<Result> {
    private final class Mailbox {
        var outcome: ActionOutcome?
    }

    private let session: SessionHarness
    private let graph: Graph
    private let mailbox: Mailbox
    private let caller: ActionCaller

    /// Starts the call.
    ///
    /// Called on the loop.
    init(
        _ session: SessionHarness,
        on graph: Graph,
        key: String?,
        deadline: Int?,
        _ call: (ActionCaller) -> Void
    ) {
        precondition(!graph.isStepping, "a frame's listener sends through its client, after the step")
        let mailbox = Mailbox()
        let caller = ActionCaller(key: key, deadline: deadline) { mailbox.outcome = $0 }
        self.session = session
        self.graph = graph
        self.mailbox = mailbox
        self.caller = caller
        graph.step { call(caller) }
    }

    /// The caller's answer.
    ///
    /// A read first lets the session do all work that is ready.
    public var answer: Answer {
        session.runUntilIdle()
        return mailbox.outcome.map { Answer($0, in: session) } ?? .pending
    }

    /// Cancels the call, as `$/cancelRequest` does.
    public func cancel() {
        session.loop.run {
            graph.step { caller.cancel() }
        }
    }

    /// Waits for work outside of the session until the call is answered.
    ///
    /// - Returns: the answer.
    /// - Throws: `CancellationError` when the test is cancelled, for example by its time limit.
    public func answered() async throws -> Answer {
        try await session.wait { answer != .pending }
        return answer
    }
}

extension PendingCall where Result: Decodable {
    /// Returns the action's result, encoded and decoded again.
    ///
    /// - Returns: the result.
    /// - Throws: `ActionFailure`, `InvalidValue`, `LimitExceeded` or ``Refusal``, which is `.unfinished` while the
    ///   action waits.
    public func result() throws -> Result {
        try answer.value().decoded()
    }
}

extension PendingCall where Result == Void {
    /// Checks that the action has succeeded, with the errors of the form with a result.
    public func result() throws {
        _ = try answer.value()
    }
}

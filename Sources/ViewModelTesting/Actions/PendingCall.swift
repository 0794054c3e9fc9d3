import ViewModelKit

/// A call of an action that a test has begun; it goes on without this value, too.
public final class PendingCall<Result> {
    /// Where the caller's answer arrives.
    private final class Mailbox {
        var outcome: ActionOutcome?
    }

    private let session: SessionHarness
    private let graph: Graph
    private let mailbox: Mailbox
    private let caller: ActionCaller

    /// Makes the call; on the loop.
    init(_ session: SessionHarness, on graph: Graph, _ call: (ActionCaller) -> Void) {
        precondition(!graph.isStepping, "a frame's listener sends through its client, after the step")
        let mailbox = Mailbox()
        let caller = ActionCaller { mailbox.outcome = $0 }
        self.session = session
        self.graph = graph
        self.mailbox = mailbox
        self.caller = caller
        graph.step { call(caller) }
    }

    /// What the caller has been told, when everything has been done that could be done at once.
    public var answer: Answer {
        session.settle()
        return mailbox.outcome.map { Answer($0, in: session) } ?? .pending
    }

    /// Cancels the call, as `$/cancelRequest` does.
    public func cancel() {
        session.loop.run {
            graph.step { caller.cancel() }
        }
    }

    /// Waits until the call is answered, while work goes on outside of the session.
    ///
    /// - Throws: `CancellationError` when the test is cancelled, by its time limit for instance.
    public func answered() async throws -> Answer {
        try await session.wait { answer != .pending }
        return answer
    }
}

extension PendingCall where Result: Decodable {
    /// The action's result, as it crosses the wire.
    ///
    /// - Throws: `ActionFailure`, `InvalidValue` or ``Refusal``; `.unfinished` when the action waits for something.
    public func result() throws -> Result {
        try answer.value().decoded()
    }
}

extension PendingCall where Result == Void {
    /// Nothing, when the action has been done.
    ///
    /// - Throws: `ActionFailure`, `InvalidValue` or ``Refusal``; `.unfinished` when the action waits for something.
    public func result() throws {
        _ = try answer.value()
    }
}

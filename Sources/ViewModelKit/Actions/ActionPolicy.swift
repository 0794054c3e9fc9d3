package import ViewModelContract

/// The effect of a call of an action while another one executes (protocol, section 6).
public struct ActionPolicy: Sendable, Equatable {
    /// The number of executions that run at a time; further ones wait.
    var limit: Int { Int(storedLimit) }
    /// The limit in 32 bits, because each action of each session has one.
    private let storedLimit: Int32
    package let kind: ContractType.Action.Policy

    /// Creates a policy of the wire, perhaps with a limit.
    package init(_ kind: ContractType.Action.Policy, limit: Int? = nil) {
        self.kind = kind
        storedLimit = Int32(clamping: limit ?? (kind == .queued ? 1 : .max))
    }

    /// The call is refused (-32003).
    public static var exclusive: ActionPolicy { ActionPolicy(.exclusive) }
    /// The call cancels the executions before it, whose callers get -32800.
    public static var latest: ActionPolicy { ActionPolicy(.latest) }
    /// The call waits until the executions before it have ended.
    public static var queued: ActionPolicy { ActionPolicy(.queued) }
    /// The call executes concurrently with the others.
    public static var concurrent: ActionPolicy { ActionPolicy(.concurrent) }
    /// The call joins the execution and gets the same outcome.
    public static var shared: ActionPolicy { ActionPolicy(.shared) }

    /// The call executes concurrently with the others while fewer than `limit` execute; otherwise it waits.
    ///
    /// Waiting calls execute in their order.
    ///
    /// - Parameter limit: the number of executions that run at a time, at least 1.
    /// - Returns: the policy.
    public static func concurrent(limit: Int) -> ActionPolicy { ActionPolicy(.concurrent, limit: max(limit, 1)) }
}

/// How a call of an action came out.
package enum ActionOutcome: Sendable, Equatable {
    /// The action's result, as JSON text.
    case success([UInt8])
    case failure(ActionFailure)
    case invalid(InvalidValue)
    /// An error that nobody expected; only the incident's id leaves the daemon.
    case fault(incident: String)
    case cancelled
    case deadlinePassed(milliseconds: Int)
    /// Refused: the author's condition does not hold.
    case disabled
    /// Refused: an exclusive action is executing.
    case executing
    /// Refused, or failed: a limit of the configuration is exceeded.
    case limitExceeded(limit: String, value: Int)
}

/// The outcome of a call of an action.
package enum ActionOutcome: Sendable, Equatable {
    /// The action's result, as JSON text.
    case success([UInt8])
    case failure(ActionFailure)
    case invalid(InvalidValue)
    /// An unexpected error.
    ///
    /// Clients receive only the incident's id.
    case fault(incident: String)
    case cancelled
    case deadlinePassed(milliseconds: Int)
    /// The call was refused because the action's condition does not hold.
    case disabled
    /// The call was refused because an exclusive action is executing.
    case executing
    /// The call was refused or failed because it exceeds a limit of the configuration.
    case limitExceeded(limit: String, value: Int)
}

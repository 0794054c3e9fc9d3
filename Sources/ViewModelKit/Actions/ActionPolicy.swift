/// The effect of a call of an action while another one executes (protocol, section 6).
public enum ActionPolicy: String, Sendable, Codable, CaseIterable {
    /// The call is refused (-32003).
    case exclusive
    /// The call cancels the executions before it, whose callers get -32800.
    case latest
    /// The call waits until the executions before it have ended.
    case queued
    /// The call executes concurrently with the others.
    case concurrent
    /// The call joins the execution and gets the same outcome.
    case shared
}

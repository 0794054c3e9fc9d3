/// What a call of an action does while another one is executing (protocol, section 6).
public enum ActionPolicy: String, Sendable, Codable, CaseIterable {
    /// It is refused (-32003).
    case exclusive
    /// It cancels the one before, whose callers get -32800.
    case latest
    /// It waits for its turn.
    case queued
    /// It runs beside the others.
    case concurrent
    /// It joins the one that runs and gets the same outcome.
    case shared
}

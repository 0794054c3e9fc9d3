/// The format of the log, as `log.format` of the configuration names it.
package enum LogFormat: String, CaseIterable, Sendable {
    /// The format that suits the receiver: journald's protocol, lines with a priority for another service manager, else
    /// text.
    case auto
    /// One JSON object a line.
    case json
    /// A line for people.
    case text
}

/// The configuration's `log.format`: the form of a line of the log.
package enum LogFormat: String, CaseIterable, Sendable {
    /// What suits the place that the log goes to.
    case auto
    /// One JSON object a line.
    case json
    /// A line for people.
    case text
}

/// A part of a service that must answer regularly: a thread, an event loop, a database.
public struct WatchdogProbe: Sendable {
    /// The outcome of a probe.
    public enum Answer: Sendable {
        /// The part did the work.
        case alive
        /// The part answered without doing the work.
        ///
        /// The reason is for the log.
        case stuck(String)
    }

    /// The name of the part in the log.
    public let name: String
    let ask: @Sendable (_ answer: @escaping @Sendable (Answer) -> Void) -> Void

    /// Creates a probe.
    ///
    /// - Parameters:
    ///   - name: The name of the part in the log.
    ///   - ask: Starts a piece of work and returns at once. The work calls `answer` once when it is done, from any
    ///     thread. The watchdog does not call `ask` again before it has the answer.
    public init(_ name: String, ask: @escaping @Sendable (_ answer: @escaping @Sendable (Answer) -> Void) -> Void) {
        self.name = name
        self.ask = ask
    }
}

/// Something that must answer for a service to be alive: a thread, an event loop, a database.
public struct WatchdogProbe: Sendable {
    /// What a probe says.
    public enum Answer: Sendable {
        /// It did what it was asked to.
        case alive
        /// It came back without having done it; the reason is for the log.
        case stuck(String)
    }

    /// What is probed, as the log names it.
    public let name: String
    let ask: @Sendable (_ answer: @escaping @Sendable (Answer) -> Void) -> Void

    /// A probe by its name.
    ///
    /// - Parameter ask: hands over a piece of work and returns at once; the work calls `answer` when it has been done, once,
    ///   from anywhere. It is not called again before it has answered.
    public init(_ name: String, ask: @escaping @Sendable (_ answer: @escaping @Sendable (Answer) -> Void) -> Void) {
        self.name = name
        self.ask = ask
    }
}

/// A thread that a server needs to answer anybody.
public struct ServerProbe: Sendable {
    /// The thread's name for the log.
    public let name: String
    let execute: @Sendable (_ work: @escaping @Sendable () -> Void) -> Void

    /// Hands a piece of work over to the thread, which calls `answer` when its turn comes; returns at once.
    ///
    /// Nothing is answered before the server runs and after it has ended.
    public func ask(_ answer: @escaping @Sendable () -> Void) {
        execute(answer)
    }
}

/// A thread of the server that must answer for the server to be alive.
public struct ServerProbe: Sendable {
    /// The thread's name for logs.
    public let name: String
    let execute: @Sendable (_ work: @escaping @Sendable () -> Void) -> Void

    /// Queues `answer` on the thread and returns at once.
    ///
    /// The thread calls `answer` only while the server runs.
    public func ask(_ answer: @escaping @Sendable () -> Void) {
        execute(answer)
    }
}

/// A stage in the life of a server, for the program that runs it.
public enum ServerPhase: Hashable, Sendable {
    /// The server accepts connections at these paths.
    case listening([String])
    /// The server was asked to stop and accepts no more connections.
    case stopping
    /// The server stops and waits for this many executing actions, at most for the grace period.
    case waiting(actions: Int)
}

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

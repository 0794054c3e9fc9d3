/// A stage in the life of a server, for the program that runs it.
public enum ServerPhase: Hashable, Sendable {
    /// The server accepts connections at these paths.
    case listening([String])
    /// The server was asked to stop and accepts no more connections.
    case stopping
    /// The server stops and waits for this many executing actions, at most for the grace period.
    case waiting(actions: Int)
}

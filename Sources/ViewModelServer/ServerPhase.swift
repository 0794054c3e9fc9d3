/// What a server tells of its life to the program around it.
public enum ServerPhase: Hashable, Sendable {
    /// It answers; clients find it at these paths.
    case listening([String])
    /// It was asked to stop, and accepts nobody any more.
    case stopping
    /// It is about to stop, and gives this many actions their time to end.
    case waiting(actions: Int)
}

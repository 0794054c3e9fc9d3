import ViewModelProtocol

/// Why a session ended, for the clients that were attached.
struct SessionEnd {
    var reason: SessionClosed.Reason
    /// The incident under which the log tells of a failure.
    var incident: String?
}

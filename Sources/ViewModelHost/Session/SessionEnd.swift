import ViewModelProtocol

/// The reason for the end of a session, as its clients receive it.
struct SessionEnd {
    var reason: SessionClosed.Reason
    /// The incident of a failure, as in the log.
    var incident: String?
}

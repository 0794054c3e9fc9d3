import ViewModelProtocol

extension ErrorCode {
    /// The meaning of the code in a few words.
    var meaning: String {
        switch self {
        case .invalidParams: "Invalid params"
        case .internalError: "Internal error"
        case .actionFailed: "The action failed"
        case .disabled: "The action is disabled"
        case .executing: "The action is already executing"
        case .notFound: "No such session, instance or type"
        case .accessDenied: "Access denied"
        case .limitExceeded: "Limit exceeded"
        case .shuttingDown: "The daemon is shutting down"
        case .deadlinePassed: "Deadline passed"
        case .sessionInUse: "The session is in use on another machine"
        case .sessionEnded: "The connection's session has ended"
        case .cancelled: "The request was cancelled"
        default: "Error"
        }
    }
}

import Logging
import ViewModelProtocol

/// What the log tells of a client.
enum ClientEvent: Hashable {
    /// A request failed or was refused.
    case failed(ErrorCode)
    /// The client was slow, or away, for so long that events are gone.
    case lostEvents
    /// A message was an answer, but the daemon has asked nothing.
    case strayAnswer

    var level: Logger.Level {
        switch self {
        case .failed(.actionFailed), .strayAnswer: .info
        case .failed(.limitExceeded), .failed(.messageTooLarge), .failed(.accessDenied), .failed(.internalError):
            .notice
        case .failed: .debug
        case .lostEvents: .notice
        }
    }

    var message: String {
        switch self {
        case .failed(.actionFailed): "An action failed"
        case .failed(.limitExceeded): "A limit was exceeded"
        case .failed(.messageTooLarge): "A message was too long"
        case .failed(.accessDenied): "A call was denied"
        case .failed(.internalError): "A request ended with an unexpected error"
        case .failed(.parseError): "A message was no JSON"
        case .failed: "A request was refused"
        case .lostEvents: "Events were dropped for a client that did not take them in time"
        case .strayAnswer: "Answer that nobody waits for"
        }
    }
}

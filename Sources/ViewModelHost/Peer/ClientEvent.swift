import Logging
import ViewModelProtocol

/// A kind of client event in the log.
enum ClientEvent: Hashable {
    /// A request failed or was rejected.
    case failed(ErrorCode)
    /// The client was slow or away for so long that events were dropped.
    case lostEvents
    /// The client sent a reply, but the daemon sends no requests.
    case strayReply

    var level: Logger.Level {
        switch self {
        case .failed(.actionFailed), .strayReply: .info
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
        case .failed(.parseError): "A message was not valid JSON"
        case .failed: "A request was refused"
        case .lostEvents: "Events were dropped for a slow client"
        case .strayReply: "A reply matched no request"
        }
    }
}

package import Logging
import ViewModelProtocol

/// The metrics and logs of a client.
///
/// They contain no params, values or details, which may be secret. The exception is the text of an author's error from
/// `init(from:)`.
extension RPCPeer {
    /// Counts and logs the error of a request or notification, with the called method if it is known.
    func logError(_ error: ProtocolError, of method: @autoclosure () -> String? = nil) {
        host.counters.count(error.code)
        if case .awaited = identity.delegation { identity.delegation = .decided }
        if let cause = error.cause {
            // The cause is the text of an author's `init(from:)` error. The reply omits it, so the log is its only
            // place.
            host.logRarely(
                .notice,
                "A type refused a value",
                metadata.merging(["cause": "\(cause)", "method": "\(method() ?? "")"]) { $1 }
            )
        }
        // The store logs the begin and the end of an outage.
        if error == .storeUnavailable { return }
        log(.failed(error.code)) {
            var details: Logger.Metadata = ["code": "\(error.code.rawValue)"]
            details["method"] = method().map { "\($0)" }
            for name in ["error", "limit", "incident", "reason"] {
                details[name] = error.data?[name]?.stringValue.map { "\($0)" }
            }
            return details
        }
    }

    /// Logs the counts of suppressed lines when the connection has ended.
    func logSuppressed() {
        for (event, count) in logLimiter.removeSuppressed() {
            guard let more = host.admitLine(of: identity.uid, event, count: count) else { continue }
            host.logger.log(
                level: event.level,
                "Events of a connection were not logged one by one",
                metadata: metadata.merging(["event": "\(event.message)", "count": "\(count + more)"]) { $1 }
            )
        }
    }

    /// The client's identity for the log.
    package var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = ["uid": "\(identity.uid)", "pid": "\(identity.pid)"]
        // The client chose the name. Its characters must not forge another line of the log.
        if let client { metadata["client"] = "\(client.name.filter(\.isPrintable))" }
        return metadata
    }

    func log(_ event: ClientEvent, _ details: () -> Logger.Metadata) {
        guard host.logger.logLevel <= event.level, let suppressed = logLimiter.admit(event, at: loop.now),
            let more = host.admitLine(of: identity.uid, event, count: 1 + suppressed)
        else { return }
        var all = metadata.merging(details()) { $1 }
        if suppressed + more > 0 { all["repeated"] = "\(suppressed + more)" }
        host.logger.log(level: event.level, "\(event.message)", metadata: all)
    }
}

extension Character {
    /// Whether the character neither ends a line nor controls a terminal.
    fileprivate var isPrintable: Bool {
        !isNewline && !unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}

/// A kind of client event in the log.
enum ClientEvent: Hashable {
    /// A request failed or was rejected.
    case failed(ErrorCode)
    /// The client was slow or away for so long that events were dropped.
    case lostEvents
    /// The client sent a reply, but the daemon sends no requests.
    case strayReply
    /// A front could not act for a person.
    case delegationRefused

    var level: Logger.Level {
        switch self {
        case .failed(.actionFailed), .strayReply: .info
        case .failed(.limitExceeded), .failed(.messageTooLarge), .failed(.accessDenied), .failed(.internalError):
            .notice
        case .failed: .debug
        case .lostEvents, .delegationRefused: .notice
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
        case .delegationRefused: "A connection may not act for a person"
        }
    }
}

import ViewModelClient

package enum ExitStatus: Int32, Sendable {
    /// The command succeeded.
    case done = 0
    /// The action ran and failed (-32000).
    case failed = 1
    /// The socket accepts no connection, or the connection was lost.
    case noConnection = 3
    /// The method, member, session, instance or type does not exist (-32601, -32004).
    case notFound = 4
    /// The daemon refused: disabled, executing, access denied, or a limit (-32002, -32003, -32005, -32006).
    case refused = 5
    /// The time limit has elapsed: `--timeout`, or the deadline (-32008).
    case timedOut = 6
    /// The params are invalid (-32602).
    case invalidParams = 7
    /// Any other error of the protocol.
    case protocolError = 8
    /// The command line is wrong (EX_USAGE).
    case usage = 64
    /// SIGINT interrupted the command.
    case interrupted = 130
    /// SIGTERM ended the command.
    case terminated = 143
}

extension ExitStatus {
    init(_ code: ErrorCode) {
        switch code {
        case .actionFailed: self = .failed
        case .methodNotFound, .notFound: self = .notFound
        case .disabled, .executing, .accessDenied, .limitExceeded: self = .refused
        case .deadlinePassed: self = .timedOut
        case .invalidParams: self = .invalidParams
        default: self = .protocolError
        }
    }

    init(_ error: ClientError) {
        switch error.code {
        case .refused: self = error.reply.map { ExitStatus($0.code) } ?? .protocolError
        case .noConnection, .connectionLost, .outcomeUnknown, .closed: self = .noConnection
        case .timedOut: self = .timedOut
        case .sessionClosed, .sessionMoved: self = .notFound
        default: self = .protocolError
        }
    }
}

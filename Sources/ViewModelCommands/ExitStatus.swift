import ViewModelClient

package struct ExitStatus: RawRepresentable, Hashable, Sendable {
    /// The number that the shell receives.
    package var rawValue: Int32

    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// The command succeeded.
    package static let done = ExitStatus(rawValue: 0)
    /// The action ran and failed (-32000).
    package static let failed = ExitStatus(rawValue: 1)
    /// The socket accepts no connection, or the connection was lost.
    package static let noConnection = ExitStatus(rawValue: 3)
    /// The method, member, session, instance or type does not exist (-32601, -32004).
    package static let notFound = ExitStatus(rawValue: 4)
    /// The daemon refused: disabled, executing, access denied, or a limit (-32002, -32003, -32005, -32006).
    package static let refused = ExitStatus(rawValue: 5)
    /// The time limit has elapsed: `--timeout`, or the deadline (-32008).
    package static let timedOut = ExitStatus(rawValue: 6)
    /// The params are invalid (-32602).
    package static let invalidParams = ExitStatus(rawValue: 7)
    /// Any other error of the protocol.
    package static let protocolError = ExitStatus(rawValue: 8)
    /// The command line is wrong (EX_USAGE).
    package static let usage = ExitStatus(rawValue: 64)
    /// SIGINT interrupted the command.
    package static let interrupted = ExitStatus(rawValue: 130)
    /// SIGTERM ended the command.
    package static let terminated = ExitStatus(rawValue: 143)
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

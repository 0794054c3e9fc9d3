import Glibc
import NIOCore
import UnixIO

extension ClientError {
    /// Returns whether the error means that the listener's backlog is full.
    static func isQueueFull(_ error: any Error) -> Bool {
        (error as? SystemError)?.code == EAGAIN
    }

    /// Creates the error for a failed connection, with the cause and a remedy.
    package init(connecting socket: String, _ error: any Error) {
        let start = "Start viewmodeld, or name its socket with --socket or \(SocketPath.variable)"
        switch (error as? SystemError)?.code {
        case ENOENT:
            self = .noConnection(socket: socket, reason: "there is no such socket", remedy: start)
        case ECONNREFUSED:
            self = .noConnection(socket: socket, reason: "no process listens there", remedy: start)
        case EACCES, EPERM:
            self = .noConnection(
                socket: socket,
                reason: "permission denied",
                remedy: "The daemon's socket.mode and socket.group decide who may connect"
            )
        case EAGAIN:
            self = .noConnection(
                socket: socket,
                reason: "too many others wait to be connected",
                remedy: "Try again, or check whether the daemon still works"
            )
        case ENOTSOCK, EPROTOTYPE:
            self = .noConnection(socket: socket, reason: "it is not a stream socket", remedy: start)
        case ENAMETOOLONG:
            self = .noConnection(
                socket: socket,
                reason: LocalAddress.excess(of: socket) ?? Self.reason(of: error),
                remedy: "Choose a shorter one with --socket or \(SocketPath.variable), for the daemon, too"
            )
        default:
            self = .noConnection(socket: socket, reason: Self.reason(of: error), remedy: start)
        }
    }

    /// Returns why a connection or a socket failed, for a person.
    ///
    /// An error of NIO would describe itself with the C function and the error number.
    package static func reason(of error: any Error) -> String {
        switch error {
        case let error as IOError: SystemError(code: error.errnoCode).description
        case is ChannelError: "the connection was closed"
        default: "\(error)"
        }
    }
}

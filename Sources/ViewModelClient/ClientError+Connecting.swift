import Glibc
import NIOCore
import UnixIO

extension ClientError {
    /// Creates the error for a failed connection, with the cause and a remedy.
    package init(connecting socket: String, _ error: any Error) {
        let start = "Start viewmodeld, or name its socket with --socket or \(SocketPath.variable)"
        let (reason, remedy) =
            switch (error as? SystemError)?.code {
            case ENOENT: ("there is no such socket", start)
            case ECONNREFUSED: ("no process listens there", start)
            case EACCES, EPERM:
                ("permission denied", "The daemon's socket.mode and socket.group decide who may connect")
            case EAGAIN:
                ("too many others wait to be connected", "Try again, or check whether the daemon still works")
            case ENOTSOCK, EPROTOTYPE: ("it is not a stream socket", start)
            case ENAMETOOLONG:
                (
                    LocalAddress.excess(of: socket) ?? Self.reason(of: error),
                    "Choose a shorter one with --socket or \(SocketPath.variable), for the daemon, too"
                )
            default: (Self.reason(of: error), start)
            }
        self.init(code: .noConnection, message: "No connection to \(socket): \(reason)", remedy: remedy)
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

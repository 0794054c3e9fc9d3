import ArgumentParser
import ViewModelServer

/// Why the daemon ends with another code than 0 (sysexits.h).
enum DaemonExit: Error, CustomStringConvertible {
    /// There is no place for the socket or the state.
    case noPlace(String)

    var description: String {
        switch self {
        case .noPlace(let reason): reason
        }
    }

    /// The exit code for an error: 73 (EX_CANTCREAT) where the socket or the state cannot be taken, else 1.
    static func code(for error: any Error) -> ExitCode {
        error is SocketError || error is DaemonExit ? ExitCode(73) : ExitCode(1)
    }
}

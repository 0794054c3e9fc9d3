import Accounts
import ArgumentParser
import Systemd
import ViewModelConfiguration
import ViewModelServer
import ViewModelStore

/// Why the daemon ends with another code than 0 (sysexits.h).
enum DaemonExit: Error, CustomStringConvertible {
    /// There is no place for the socket or the state.
    case noPlace(String)

    var description: String {
        switch self {
        case .noPlace(let reason): reason
        }
    }

    /// The exit code for an error: 78 (EX_CONFIG) where the configuration is wrong, 73 (EX_CANTCREAT) where the socket
    /// or the state cannot be taken, 71 (EX_OSERR) where the storage is damaged, else 1.
    static func code(for error: any Error) -> ExitCode {
        switch error {
        case is ConfigurationError, is UnusableURL: ExitCode(78)
        case is SocketError, is InheritedSocketError, is DaemonExit: ExitCode(73)
        case let error as StoreError: ExitCode(error.exitCode)
        default: ExitCode(1)
        }
    }
}

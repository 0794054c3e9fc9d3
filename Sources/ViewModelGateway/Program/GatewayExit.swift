import ArgumentParser
import Systemd
import ViewModelConfiguration
import ViewModelHost
import ViewModelServer

/// An error that prevents the start of the gateway.
///
/// The text names the cause and the remedy.
struct GatewayExit: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }

    /// Returns the exit code for an error (sysexits.h): 78 for the configuration, 73 for sockets and files, else 1.
    static func code(for error: any Error) -> ExitCode {
        switch error {
        case is ConfigurationError: ExitCode(78)
        case is GatewayExit, is SocketError, is InheritedSocketError, is PrivateDirectory.Failure: ExitCode(73)
        default: ExitCode(1)
        }
    }
}

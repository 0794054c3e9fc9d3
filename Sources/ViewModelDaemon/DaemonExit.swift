package import ArgumentParser
import Logging
import Systemd
import ViewModelConfiguration
import ViewModelServer
import ViewModelHost
import ViewModelStorage

/// An error of the program itself at its start.
package struct DaemonExit: Error, CustomStringConvertible {
    package let description: String

    /// The daemon has no usable path for what it writes.
    ///
    /// The text names the cause and the remedy.
    package static func noPath(_ description: String) -> DaemonExit { DaemonExit(description: description) }

    /// Runs the work of a command, prints its error, and throws the exit code for it.
    package static func reporting<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch {
            RunningDaemon.print("\(error)", level: .error)
            throw code(for: error)
        }
    }

    /// Returns the exit code for an error (sysexits.h).
    ///
    /// - 78 (EX_CONFIG): the configuration or the vault's key is wrong.
    /// - 73 (EX_CANTCREAT): the socket or the state directory cannot be used.
    /// - 71 (EX_OSERR): the store is damaged, or a newer version wrote it.
    /// - 1: any other error.
    package static func code(for error: any Error) -> ExitCode {
        switch error {
        case is ConfigurationError: ExitCode(78)
        case is SocketError, is InheritedSocketError, is PrivateDirectory.Failure, is DaemonExit: ExitCode(73)
        case let error as StoreError: ExitCode(error.exitCode)
        default: ExitCode(1)
        }
    }
}

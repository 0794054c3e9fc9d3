import Accounts
import ArgumentParser
import Logging
import Systemd
import ViewModelConfiguration
import ViewModelServer
import ViewModelHost
import ViewModelStorage
import ViewModelTranscript

/// An error of the program itself at its start.
enum DaemonExit: Error, CustomStringConvertible {
    /// The daemon has no usable path for its socket or its state. The text names the cause and the remedy.
    case noPath(String)

    var description: String {
        switch self {
        case .noPath(let reason): reason
        }
    }

    /// Runs the work of a command, prints its error, and throws the exit code for it.
    static func reporting<Result>(_ body: () async throws -> Result) async throws -> Result {
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
    static func code(for error: any Error) -> ExitCode {
        switch error {
        case is ConfigurationError, is UnusableURL: ExitCode(78)
        case is SocketError, is InheritedSocketError, is DaemonExit: ExitCode(73)
        case is PrivateDirectory.Failure, is TranscriptFileError: ExitCode(73)
        case let error as StoreError: ExitCode(error.exitCode)
        default: ExitCode(1)
        }
    }
}

import Foundation
import Glibc
package import Logging
import UnixIO
package import ViewModelConfiguration
import ViewModelHost
import ViewModelServer
import ViewModelStorage

extension StateOptions {
    /// Loads the configuration, locks the state directory of a stopped daemon, and runs a command's work in it.
    ///
    /// - Throws: `ExitCode`, after the error was printed.
    package func withStoppedDaemon<Result>(
        makesDirectory: Bool = false,
        _ body: (DaemonConfiguration, String, Logger) async throws -> Result
    ) async throws -> Result {
        try await DaemonExit.reporting {
            let configuration = try configurationLoader().load().configuration
            let log = DaemonLog(of: RunningDaemon.program.name, configuration.log)
            defer { log.flush() }
            let path = try statePath()
            if makesDirectory { try PrivateDirectory.make(path) }
            try Self.checkOwner(of: path)
            let state = try StateDirectory(path)
            defer { state.release() }
            return try await body(configuration, state.path, log.logger)
        }
    }

    /// Returns the configuration, or nil if the default file has an error, which stops the next start and not the command.
    func configuration() throws -> DaemonConfiguration? {
        do {
            return try configurationLoader().load().configuration
        } catch {
            guard config == nil else { throw error }
            return nil
        }
    }

    /// Throws if the daemon keeps its data elsewhere, where `command` has no effect.
    ///
    /// A named state directory is used, whatever the default configuration file says.
    func requireStateDirectory(_ configuration: DaemonConfiguration?, for command: String) throws(StoreError) {
        guard config != nil || stateDirectory == nil, let configuration,
            let store = try RunningDaemon.selectedStore(configuration)
        else { return }
        throw StoreError(
            .misconfigured,
            store.key,
            "names a database, which has the daemon's data. \(RunningDaemon.program.name) \(command) is for the state "
                + "directory; \(store.remedy)"
        )
    }

    /// Throws if the state directory belongs to another user, because the daemon could not read files made by this one.
    private static func checkOwner(of path: String) throws {
        guard let status = stat(of: path) else {
            throw DaemonExit.noPath("\(path) cannot be used: \(SystemError.last)")
        }
        guard status.st_uid == geteuid() else {
            throw DaemonExit.noPath(
                "\(path) belongs to the user with the id \(status.st_uid); run this as that one: "
                    + "setpriv --reuid=\(status.st_uid) --regid=\(status.st_gid) --clear-groups \(RunningDaemon.program.name) …"
            )
        }
    }
}

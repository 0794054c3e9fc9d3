import Foundation
import Glibc
import UnixIO
import ViewModelClient
import ViewModelCommands

struct DemoDaemon {
    private static let patience = Duration.seconds(10)
    private static let step = Duration.milliseconds(20)

    private let process: ChildProcess
    private let folder: SocketDirectory

    /// Starts a daemon that ignores the person's configuration, environment and state.
    init(_ executable: String, in folder: SocketDirectory) throws {
        self.folder = folder
        let state = "\(folder.path)/state"
        var environment: [String: String?] = ["XDG_CONFIG_HOME": state]
        let service = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID", "STATE_DIRECTORY"]
        for name in ProcessText.variables.keys where name.hasPrefix("VIEWMODELD_") || service.contains(name) {
            environment.updateValue(nil, forKey: name)
        }
        // The folder is new, and only this user can access it.
        let log = open(Self.log(in: folder).cPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard log >= 0 else {
            throw CommandFailure(.failed, "\(Self.log(in: folder)) cannot be written: \(SystemError.last)")
        }
        defer { close(log) }
        process = try ChildProcess(
            executable,
            ["--socket", folder.socket, "--state-directory", state, "--log-level", "warning"],
            environment: environment,
            descriptors: [nil, log, log]
        )
    }

    private static func log(in folder: SocketDirectory) -> String { "\(folder.path)/log" }

    /// Returns the path of the daemon: the given one, or the first one found beside this program or in PATH.
    static func executable(_ named: String?) throws -> String {
        if let named { return named }
        guard let found = ProgramPath.find("viewmodeld") else {
            throw CommandFailure(
                .noConnection,
                "viewmodeld is neither beside viewmodelctl nor in PATH",
                remedy: "--daemon names it"
            )
        }
        return found
    }

    /// Waits up to ten seconds until the daemon accepts a connection.
    func waitUntilListening() async throws {
        let start = ContinuousClock.now
        while true {
            do {
                var options = ClientOptions()
                options.reconnects = false
                return try await withViewModelClient(socket: folder.socket, options: options) { _ in }
            } catch let error as ClientError {
                guard process.isRunning, ContinuousClock.now - start < Self.patience else { throw error }
                try await Task.sleep(for: Self.step)
            }
        }
    }

    /// Stops the daemon and returns its status.
    @discardableResult
    func stop() async -> Int32 { await process.stop() }

    /// Returns a connection error as a failure with the daemon's last log lines, and any other error unchanged.
    func explained(_ error: any Error) -> any Error {
        guard let error = error as? ClientError, [.noConnection, .connectionLost, .outcomeUnknown].contains(error.code)
        else {
            return error
        }
        let log = (try? InputReader.readAll(Self.log(in: folder))).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let said = log.split(separator: "\n").suffix(5).joined(separator: "\n")
        return CommandFailure(
            .noConnection,
            "The daemon did not work, it ended with status \(process.status)",
            remedy: said.isEmpty ? nil : "It said:\n\(said)"
        )
    }
}

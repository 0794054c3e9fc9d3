package import ArgumentParser
import Foundation
import Glibc
import Logging
package import PathArguments
import UnixIO
import ViewModelConfiguration
import ViewModelServer

struct DaemonOptions: ParsableArguments {
    @OptionGroup var state: StateOptions

    @Option(
        help: ArgumentHelp(
            "The path of the socket.",
            discussion: """
                The default is the socket that systemd passed, else $XDG_RUNTIME_DIR/\(RunningDaemon.program.socketPath), \
                for root /run/\(RunningDaemon.program.socketPath).
                """,
            valueName: "path"
        ),
        completion: .file()
    )
    var socket: PathArgument?

    @Option(
        help: ArgumentHelp(
            "The log level: trace, debug, info, notice, warning, error or critical.",
            valueName: "level"
        ),
        completion: .list(Logger.Level.allCases.map(\.rawValue)),
        transform: Logger.Level.parse
    )
    var logLevel: Logger.Level?

    @Flag(help: "Check the configuration and exit with 0 if it is valid, else with 78.")
    var checkConfig = false

    @Flag(help: ArgumentHelp("Show each line of the standard input as a hint in all sessions.", visibility: .hidden))
    var development = false

    /// Returns a loader that gives these flags precedence over the environment and the file.
    ///
    /// `overrides` are the flags of features that override keys.
    func configurationLoader(overrides: [KeyFlag]) -> ConfigurationLoader {
        let level: KeyFlag? = logLevel.map { ("log.level", "--log-level", $0.rawValue) }
        return state.configurationLoader(flags: overrides + [level].compactMap(\.self))
    }

    /// Returns the sockets to listen on.
    ///
    /// The order is: `--socket`, the sockets that the service manager passed, `socket.path`, the runtime directory.
    ///
    /// - Throws: ``DaemonExit`` when no source names a path; `SocketError`; any error of `inherited`.
    func sockets(
        _ configuration: DaemonConfiguration.Socket,
        inherited: () throws -> [Int32]
    ) throws -> ServerSockets {
        if socket == nil, case let sockets = try inherited(), !sockets.isEmpty {
            return try ServerSockets(inherited: sockets)
        }
        let path = try socketPath(configuration)
        let options = SocketOptions(path: path, mode: configuration.mode.bits, group: configuration.group?.id)
        return try ServerSockets(own: options)
    }

    private func socketPath(_ configuration: DaemonConfiguration.Socket) throws -> String {
        if let path = socket?.path ?? configuration.path?.rawValue { return path }
        if geteuid() == 0 { return "/run/" + RunningDaemon.program.socketPath }
        guard let runtime = variable("XDG_RUNTIME_DIR") else {
            throw DaemonExit.noPath("XDG_RUNTIME_DIR is not set; name the socket with --socket or socket.path")
        }
        return runtime + "/" + RunningDaemon.program.socketPath
    }
}

/// The flags for the paths of the configuration file and the state directory.
package struct StateOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The configuration file.",
            discussion: """
                The default is $XDG_CONFIG_HOME/\(RunningDaemon.program.configurationPath) or \
                ~/.config/\(RunningDaemon.program.configurationPath), for root \
                /etc/\(RunningDaemon.program.configurationPath), if the file exists.
                """,
            valueName: "file"
        ),
        completion: .file()
    )
    package var config: PathArgument?

    @Option(
        help: ArgumentHelp(
            "The state directory.",
            discussion: """
                The default is $STATE_DIRECTORY, else $XDG_STATE_HOME/\(RunningDaemon.program.name) or \
                ~/.local/state/\(RunningDaemon.program.name), for root /var/lib/\(RunningDaemon.program.name).
                """,
            valueName: "directory"
        ),
        completion: .directory
    )
    package var stateDirectory: PathArgument?

    package init() {}

    /// Returns a loader that uses these flags and the given ones.
    func configurationLoader(flags: [KeyFlag] = []) -> ConfigurationLoader {
        ConfigurationLoader(of: RunningDaemon.program, file: config?.path, flags: flags)
    }

    /// Returns the path of the state directory.
    ///
    /// The order is: `--state-directory`, `$STATE_DIRECTORY`, root's `/var/lib/NAME`, `$XDG_STATE_HOME`, `$HOME`.
    ///
    /// - Throws: ``DaemonExit`` when no source names a path.
    func statePath() throws -> String {
        if let stateDirectory { return stateDirectory.path }
        if let given = variable("STATE_DIRECTORY") { return given }
        let name = RunningDaemon.program.name
        if geteuid() == 0 { return "/var/lib/\(name)" }
        if let state = variable("XDG_STATE_HOME") { return "\(state)/\(name)" }
        guard let home = variable("HOME") else {
            throw DaemonExit.noPath("HOME is not set; name the state directory with --state-directory")
        }
        return "\(home)/.local/state/\(name)"
    }
}

/// Returns the value of an environment variable, or nil if it is unset or empty.
private func variable(_ name: String) -> String? {
    ProcessText.variables[name].flatMap { $0.isEmpty ? nil : $0 }
}

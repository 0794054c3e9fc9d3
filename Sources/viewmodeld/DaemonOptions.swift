import ArgumentParser
import Foundation
import Logging
import ViewModelConfiguration
import ViewModelServer

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The daemon's flags.
struct DaemonOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The configuration file.",
            discussion: """
                By default $XDG_CONFIG_HOME/viewmodeld/viewmodeld.yaml or ~/.config/viewmodeld/viewmodeld.yaml, \
                for root /etc/viewmodeld/viewmodeld.yaml, where there is one.
                """,
            valueName: "file"
        )
    )
    var config: String?

    @Option(
        help: ArgumentHelp(
            "Where to listen.",
            discussion: """
                By default where systemd passed a socket, else $XDG_RUNTIME_DIR/viewmodeld/viewmodeld.sock, for root \
                /run/viewmodeld/viewmodeld.sock.
                """,
            valueName: "path"
        )
    )
    var socket: String?

    @Option(
        help: ArgumentHelp(
            "Where to keep what is remembered.",
            discussion: """
                By default $STATE_DIRECTORY, else $XDG_STATE_HOME/viewmodeld or ~/.local/state/viewmodeld, \
                for root /var/lib/viewmodeld.
                """,
            valueName: "directory"
        )
    )
    var stateDirectory: String?

    @Flag(help: "Host the lab, a target for people who write clients.")
    var lab = false

    @Option(
        help: ArgumentHelp("What to log: trace, debug, info, notice, warning, error or critical.", valueName: "level"),
        transform: DaemonOptions.level
    )
    var logLevel: Logger.Level?

    @Flag(help: "Check the configuration and exit: with 0 where it can be taken, else with 78.")
    var checkConfig = false

    /// Reads the configuration as the flags say.
    var configurationLoader: ConfigurationLoader {
        ConfigurationLoader(
            file: config,
            flags: FlagSource(lab: lab, logLevel: logLevel),
            environment: ProcessInfo.processInfo.environment,
            isRoot: geteuid() == 0
        )
    }

    /// The sockets to listen at: the flag's, else those that the service manager passed, else the configured one, else the
    /// one of the runtime directory.
    ///
    /// - Throws: ``DaemonExit`` when there is none of them, and what `inherited` throws.
    func sockets(
        _ configuration: DaemonConfiguration.Socket,
        inherited: () throws -> [Int32]
    ) throws -> SocketSource {
        if socket == nil, case let sockets = try inherited(), !sockets.isEmpty { return .inherited(sockets) }
        return .own(
            SocketPlace(
                path: try socketPath(configuration),
                mode: configuration.mode.bits,
                group: configuration.group?.id
            )
        )
    }

    private func socketPath(_ configuration: DaemonConfiguration.Socket) throws -> String {
        if let path = socket ?? configuration.path { return path }
        if geteuid() == 0 { return "/run/viewmodeld/viewmodeld.sock" }
        guard let runtime = Self.environment("XDG_RUNTIME_DIR") else {
            throw DaemonExit.noPlace("XDG_RUNTIME_DIR is not set; say with --socket or socket.path where to listen")
        }
        return runtime + "/viewmodeld/viewmodeld.sock"
    }

    /// The state directory's path.
    ///
    /// - Throws: ``DaemonExit`` when there is no flag and no home.
    func statePath() throws -> String {
        if let stateDirectory { return stateDirectory }
        if let given = Self.environment("STATE_DIRECTORY") { return given }
        if geteuid() == 0 { return "/var/lib/viewmodeld" }
        if let state = Self.environment("XDG_STATE_HOME") { return state + "/viewmodeld" }
        guard let home = Self.environment("HOME") else {
            throw DaemonExit.noPlace("HOME is not set; say with --state-directory where to keep state")
        }
        return home + "/.local/state/viewmodeld"
    }

    private static func level(_ name: String) throws -> Logger.Level {
        guard let level = Logger.Level(rawValue: name) else {
            let levels = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("'\(name)' is no log level; it is one of \(levels).")
        }
        return level
    }

    private static func environment(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }
}

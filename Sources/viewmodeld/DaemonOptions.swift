import ArgumentParser
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
    @OptionGroup var state: StateOptions

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

    @Flag(help: "Host the lab, a target for people who write clients.")
    var lab = false

    @Option(
        help: ArgumentHelp("What to log: trace, debug, info, notice, warning, error or critical.", valueName: "level"),
        transform: DaemonOptions.level
    )
    var logLevel: Logger.Level?

    @Flag(help: "Check the configuration and exit: with 0 where it can be taken, else with 78.")
    var checkConfig = false

    /// A loader that gives these flags precedence over the environment and the file.
    var configurationLoader: ConfigurationLoader {
        state.configurationLoader(flags: FlagSource(lab: lab, logLevel: logLevel))
    }

    /// Returns the sockets to listen on.
    ///
    /// The order is: `--socket`, the sockets that the service manager passed, `socket.path`, the runtime directory.
    ///
    /// - Throws: ``DaemonExit`` when no source names a path; any error of `inherited`.
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
        guard let runtime = EnvironmentVariable.value("XDG_RUNTIME_DIR") else {
            throw DaemonExit.noPlace("XDG_RUNTIME_DIR is not set; say with --socket or socket.path where to listen")
        }
        return runtime + "/viewmodeld/viewmodeld.sock"
    }

    private static func level(_ name: String) throws -> Logger.Level {
        guard let level = Logger.Level(rawValue: name) else {
            let levels = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("'\(name)' is no log level; it is one of \(levels).")
        }
        return level
    }
}

import ArgumentParser
import Logging
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
            "Where to listen.",
            discussion: """
                By default $XDG_RUNTIME_DIR/viewmodeld/viewmodeld.sock, for root /run/viewmodeld/viewmodeld.sock.
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
    var logLevel: Logger.Level = .info

    /// Makes the logger, which writes to standard error.
    func makeLogger() -> Logger {
        var logger = Logger(label: "viewmodeld") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = logLevel
        return logger
    }

    /// The socket's path.
    ///
    /// - Throws: `SocketError` when there is no flag and no runtime directory.
    func socketPath() throws -> String {
        if let socket { return socket }
        if geteuid() == 0 { return "/run/viewmodeld/viewmodeld.sock" }
        guard let runtime = Self.environment("XDG_RUNTIME_DIR") else {
            throw DaemonExit.noPlace("XDG_RUNTIME_DIR is not set; say with --socket where to listen")
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

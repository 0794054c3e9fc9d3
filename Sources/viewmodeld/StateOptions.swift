import ArgumentParser
import Foundation
import ViewModelConfiguration

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The flags for the paths of the configuration file and the state directory.
struct StateOptions: ParsableArguments {
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
            "Where to keep what is remembered.",
            discussion: """
                By default $STATE_DIRECTORY, else $XDG_STATE_HOME/viewmodeld or ~/.local/state/viewmodeld, \
                for root /var/lib/viewmodeld.
                """,
            valueName: "directory"
        )
    )
    var stateDirectory: String?

    /// Returns a loader that uses these flags and the given ones.
    func configurationLoader(flags: FlagSource) -> ConfigurationLoader {
        ConfigurationLoader(
            file: config,
            flags: flags,
            environment: ProcessInfo.processInfo.environment,
            isRoot: geteuid() == 0
        )
    }

    /// Returns the path of the state directory.
    ///
    /// The order is: `--state-directory`, `$STATE_DIRECTORY`, root's `/var/lib/viewmodeld`, `$XDG_STATE_HOME`, `$HOME`.
    ///
    /// - Throws: ``DaemonExit`` when no source names a path.
    func statePath() throws -> String {
        if let stateDirectory { return stateDirectory }
        if let given = EnvironmentVariable.value("STATE_DIRECTORY") { return given }
        if geteuid() == 0 { return "/var/lib/viewmodeld" }
        if let state = EnvironmentVariable.value("XDG_STATE_HOME") { return state + "/viewmodeld" }
        guard let home = EnvironmentVariable.value("HOME") else {
            throw DaemonExit.noPlace("HOME is not set; say with --state-directory where to keep state")
        }
        return home + "/.local/state/viewmodeld"
    }
}

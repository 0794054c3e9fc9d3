package import ArgumentParser
import ViewModelClient

/// The command line of the daemon: `viewmodelctl VERB …`.
package struct ViewModelCtl: AsyncParsableCommand {
    /// The verbs and their help.
    ///
    /// Each names itself (`commandName`). ArgumentParser would make a name from the type, which costs the start of the
    /// program two milliseconds.
    package static let configuration = CommandConfiguration(
        commandName: "viewmodelctl",
        abstract: "Reads, watches and calls the ViewModels of viewmodeld.",
        discussion: """
            Results go to the standard output, everything else to the standard error. Results are JSON, one value a \
            line, unless the output is a terminal.

            Exit codes: 0 done, 1 the action failed, 3 no connection, 4 not found, 5 refused, 6 timed out, \
            7 invalid params, 8 any other protocol error, 64 usage, 130 SIGINT, 143 SIGTERM.
            """,
        version: Release.version,
        groupedSubcommands: [
            CommandGroup(name: "Reading", subcommands: [Types.self, Describe.self, Read.self, Watch.self, Wait.self]),
            CommandGroup(name: "Calling", subcommands: [Call.self, RPC.self, Script.self]),
            CommandGroup(name: "Instances", subcommands: [Instances.self, Open.self, CloseInstance.self]),
            CommandGroup(name: "Account", subcommands: [LoginVerb.self, LogoutVerb.self]),
            CommandGroup(
                name: "Sessions and health",
                subcommands: [Sessions.self, Close.self, Status.self, Metrics.self]
            ),
            CommandGroup(name: "Contracts", subcommands: [Generate.self, Diff.self]),
            CommandGroup(name: "Monitoring", subcommands: [Inspect.self, Monitor.self, Record.self, ReplayVerb.self]),
            CommandGroup(name: "Setup", subcommands: [New.self, Dev.self, Demo.self, Completions.self]),
        ]
    )

    @OptionGroup(title: "Options of every verb")
    var globals: GlobalOptions

    /// Creates the command without arguments.
    package init() {}
}

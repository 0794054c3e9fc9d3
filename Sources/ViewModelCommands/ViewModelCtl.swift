package import ArgumentParser
import ViewModelClient

/// The command line of the daemon: `viewmodelctl VERB …`.
package struct ViewModelCtl: AsyncParsableCommand {
    /// The verbs and their help.
    ///
    /// Each names itself (`commandName`). ArgumentParser would make a name from the type, which costs the start of the
    /// program two milliseconds.
    package static var configuration: CommandConfiguration {
        CommandConfiguration(
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
                CommandGroup(
                    name: "Reading",
                    subcommands: [Types.self, Describe.self, Read.self, Watch.self, Wait.self]
                ),
                CommandGroup(name: "Calling", subcommands: [Call.self, RPC.self, Script.self]),
                CommandGroup(name: "Instances", subcommands: [Instances.self, Open.self, CloseInstance.self]),
                CommandGroup(name: "Account", subcommands: [LoginVerb.self, LogoutVerb.self]),
                CommandGroup(
                    name: "Sessions and health",
                    subcommands: [Sessions.self, Close.self, Status.self, Metrics.self]
                ),
            ] + addedVerbs
        )
    }

    /// The verbs that a program adds to those of operators.
    @TaskLocal static var addedVerbs: [CommandGroup] = []

    @OptionGroup(title: "Options of every verb") var options: GlobalOptions

    /// Creates the command without arguments.
    package init() {}
}

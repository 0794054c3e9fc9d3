package import ArgumentParser
import ViewModelCommands

/// The verbs of `viewmodelctl` for developers.
package let developerVerbs = [
    CommandGroup(name: "Contracts", subcommands: [Generate.self, Diff.self]),
    CommandGroup(name: "Monitoring", subcommands: [Inspect.self, Monitor.self, Record.self, ReplayVerb.self]),
    // The help lists the completions of a shell beside them.
    CommandGroup(name: "Setup", subcommands: [New.self, Dev.self, Demo.self, Completions.self]),
]

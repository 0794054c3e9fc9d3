import ArgumentParser
import ViewModelClient

/// A verb that sends requests to the daemon, on a command line or in a script.
protocol Verb: AsyncParsableCommand {
    /// The options after the verb's name.
    var globals: GlobalOptions { get }

    /// The root command with the options before the verb's name.
    var root: ViewModelCtl { get }

    /// Whether the verb reconnects after a lost connection.
    var reconnects: Bool { get }

    /// Runs the verb on an open connection.
    func run(at context: CommandContext) async throws
}

extension Verb {
    var reconnects: Bool { false }

    /// The options before and after the verb's name.
    var options: GlobalOptions { globals.over(root.globals) }

    mutating func run() async throws {
        let verb = self
        try await CommandContext.open(options, reconnects: reconnects) { try await verb.run(at: $0) }
    }
}

package import ArgumentParser
import ViewModelClient

/// A verb that sends requests to the daemon, on a command line or in a script.
package protocol Verb: AsyncParsableCommand, Sendable {
    var options: GlobalOptions { get }

    var reconnects: Bool { get }

    /// The time after which the verb gives up; nil means never.
    var timeLimit: Duration? { get }

    /// The start of the message about an elapsed ``timeLimit``, such as "call did not end".
    var delay: String { get }

    /// Reports that the verb waits for the daemon before its first connection, or that it is connected then.
    func connectionChanged(isLost: Bool) throws

    /// Runs the verb on an open connection.
    func run(at context: CommandContext) async throws
}

extension Verb {
    package var reconnects: Bool { false }

    package func connectionChanged(isLost: Bool) throws {}

    package var timeLimit: Duration? { options.timeout }

    package var delay: String { "\(Self.configuration.commandName ?? "") did not end" }

    package mutating func run() async throws {
        let verb = self
        try await TimeLimit.run(timeLimit, delay) {
            try await CommandContext.open(
                verb.options,
                reconnects: verb.reconnects,
                connectionChanged: verb.connectionChanged
            ) { try await verb.run(at: $0) }
        }
    }
}

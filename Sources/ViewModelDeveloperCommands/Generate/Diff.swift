import ClientGenerators
import ArgumentParser
import PathArguments
import UnixIO
import ViewModelClient
import ViewModelCommands
import ViewModelContract

struct Diff: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Shows what changed between two contracts, and what it means for clients.",
        discussion: """
            breaking: a client of the old contract may fail. source: the client works, but code that uses a generated \
            client may not compile after it was generated anew. additive: neither.

            Exits with 1 if a change is at least as bad as --fail-on.
            """
    )

    @OptionGroup(title: "Options of every verb") var options: GlobalOptions

    @Argument(help: "The old contract, as rpc.discover returns it, in JSON or YAML; - is the standard input.")
    var old: PathArgument

    @Argument(help: "The new contract.")
    var new: PathArgument

    @Option(
        help: ArgumentHelp("The least severity that fails: breaking, source or additive.", valueName: "severity")
    )
    var failOn: ContractDifference.Severity = .breaking

    func run() async throws {
        guard old.path != "-" || new.path != "-" else {
            throw CommandFailure.usage("Only one of the contracts can be the standard input")
        }
        let difference = try await TimeLimit.run(options.timeout, "diff did not end") { [old, new] in
            ContractDifference(
                from: try await ContractSource.read(old.path),
                to: try await ContractSource.read(new.path)
            )
        }
        do {
            try print(difference, with: Printer(try options.format() ?? .auto))
        } catch is ClosedPipe {
            // Nobody reads the changes. The exit code still says how severe they are.
        }
        if let severity = difference.severity, severity >= failOn { throw ExitCode(ExitStatus.failed.rawValue) }
    }

    private func print(_ difference: ContractDifference, with printer: Printer) throws {
        for change in difference.changes.sorted(by: { $0.severity > $1.severity }) {
            try printer.print(
                .object([
                    "severity": .string(change.severity.rawValue),
                    "place": .string(change.place),
                    "change": .string(change.text),
                ]),
                as: PlainText.of("\(change.severity.rawValue): \(change.place) \(change.text)")
            )
        }
    }
}

extension ContractDifference.Severity: ExpressibleByArgument {}

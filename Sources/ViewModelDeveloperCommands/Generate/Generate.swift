import ClientGenerators
import ArgumentParser
import Foundation
import PathArguments
import UnixIO
import ViewModelClient
import ViewModelCommands
import ViewModelContract

struct Generate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Writes a typed client for the ViewModels of a daemon.",
        discussion: """
            The languages are \(ClientGenerator.all.map(\.language).joined(separator: ", ")). The client is one file \
            without dependencies, except that Swift needs the library ViewModelClient, and that JavaScript has its \
            types in a second file, NAME.d.ts beside NAME.js.

            The contract is that of the running daemon, or a file with the text of rpc.discover, in JSON or YAML \
            (--from). The same contract gives the same bytes, so that a client can be checked in:

              viewmodelctl generate python --from contract.json \\
                --output client.py --check
            """
    )

    @OptionGroup(title: "Options of every verb") var options: GlobalOptions

    @Argument(
        help: ArgumentHelp("The language.", valueName: "language"),
        completion: .list(ClientGenerator.all.map(\.language)),
        transform: { name in
            guard let generator = ClientGenerator.all.first(where: { $0.language == name }) else {
                let names = ClientGenerator.all.map(\.language).joined(separator: ", ")
                throw ValidationError("There is no generator for \"\(name)\"; the languages are \(names)")
            }
            return generator
        }
    )
    var generator: ClientGenerator

    @Option(
        help: ArgumentHelp("A file with the contract, in JSON or YAML; - is the standard input.", valueName: "file")
    )
    var from: PathArgument?

    @Flag(help: "Write nothing, and exit with 1 if the client in the file or on the standard input is stale.")
    var check = false

    func run() async throws {
        var options = self.options
        let output = options.output?.text
        if check, output == nil, from?.path == "-" {
            throw CommandFailure.usage(
                "The contract and the client cannot both be the standard input",
                remedy: "Name the file of the client: --output FILE"
            )
        }
        options.output = nil
        try await TimeLimit.run(options.timeout, "generate did not end") { [options] in
            let contract =
                if let from {
                    try await ContractSource.read(from.path)
                } else {
                    try await CommandContext.open(options) { try await ContractSource.fetch($0.client) }
                }
            try await finish(contract, output)
        }
    }

    private func finish(_ contract: Contract, _ output: String?) async throws {
        let files = generator.files(contract)
        guard let first = files.first else { return }
        guard let output else {
            let text = Array(first.text.utf8)
            guard check else { return try Descriptor.output.write(text) }
            guard try await StandardInput.bytes() == text else { throw stale("The client on the standard input") }
            return
        }
        // No second file is beside a device or a pipe.
        for file in try OutputFile(output).isStream ? [first] : files {
            let path = file == first ? output : Self.path(of: file, beside: output, first)
            let text = Array(file.text.utf8)
            if check {
                let former = try? await InputReader.bytes(of: path)
                try Task.checkCancellation()
                if former != text { throw stale(path) }
            } else {
                try await BlockingThread.run { () throws(OutputFileError) in try OutputFile(path).write(text) }
            }
        }
    }

    /// Returns the path of a file that has the name of the first one with its own suffix.
    private static func path(
        of file: ClientGenerator.File,
        beside output: String,
        _ first: ClientGenerator.File
    ) -> String {
        // The types of `client.mjs` are those of `client.d.mts`.
        if file.suffix == ".d.ts", output.hasSuffix(".mjs") { return output.dropLast(4) + ".d.mts" }
        return (output.hasSuffix(first.suffix) ? output.dropLast(first.suffix.count) : output[...]) + file.suffix
    }

    private func stale(_ client: String) -> CommandFailure {
        CommandFailure(
            .failed,
            "\(client) is not the client of this contract and of this viewmodelctl",
            remedy: "Generate it again"
        )
    }
}

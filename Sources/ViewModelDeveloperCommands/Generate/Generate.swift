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
        guard let output else {
            guard let first = files.first else { return }
            if check {
                let bytes = try await StandardInput.bytes()
                if Array(first.text.utf8) != bytes { throw stale("The client on the standard input") }
            } else {
                try Descriptor.output.write(Array(first.text.utf8))
            }
            return
        }
        let destination = try OutputFile(output)
        // No second file is beside a device or a pipe.
        for file in destination.isStream ? Array(files.prefix(1)) : files {
            let path = Self.path(of: file, beside: output, first: files.first)
            if check {
                let former = try? await InputReader.bytes(of: path)
                try Task.checkCancellation()
                if former != Array(file.text.utf8) { throw stale(path) }
            } else {
                try await BlockingThread.run { () throws(OutputFileError) in
                    try OutputFile(path).write(Array(file.text.utf8))
                }
            }
        }
    }

    /// Returns the path of a file: the first one has the given path, the others its name with their own suffixes.
    private static func path(
        of file: ClientGenerator.File,
        beside destination: String,
        first: ClientGenerator.File?
    ) -> String {
        guard let first, file != first else { return destination }
        // The types of `client.mjs` are those of `client.d.mts`.
        if first.suffix == ".js", file.suffix == ".d.ts", destination.hasSuffix(".mjs") {
            return destination.dropLast(4) + ".d.mts"
        }
        let base = destination.hasSuffix(first.suffix) ? String(destination.dropLast(first.suffix.count)) : destination
        return base + file.suffix
    }

    private func stale(_ client: String) -> CommandFailure {
        CommandFailure(
            .failed,
            "\(client) is not the client of this contract and of this viewmodelctl",
            remedy: "Generate it again"
        )
    }
}

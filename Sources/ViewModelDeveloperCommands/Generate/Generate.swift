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
        abstract: "Writes a typed client for the ViewModels of a daemon, or an adapter for a kit.",
        discussion: """
            The languages are \(Self.names(ClientGenerator.all)). The client is one file without dependencies, except \
            that Swift needs the library ViewModelClient, and that JavaScript has its types in a second file, NAME.d.ts \
            beside NAME.js.

            The contract is that of the running daemon, or a file with the text of rpc.discover, in JSON or YAML \
            (--from). The same contract gives the same bytes, so that a client can be checked in:

              viewmodelctl generate python --from contract.json \\
                --output client.py --check

            An adapter connects the generated client of Python or JavaScript with a kit for user interfaces: \
            \(Self.names(ClientGenerator.adapters)). It is the same file for each contract, and needs no daemon:

              viewmodelctl generate gtk --output viewmodel_gtk.py
            """
    )

    @OptionGroup(title: "Options of every verb") var options: GlobalOptions

    @Argument(
        help: ArgumentHelp("The language, or the kit of an adapter.", valueName: "language"),
        completion: .list((ClientGenerator.all + ClientGenerator.adapters).map(\.language)),
        transform: { name in
            let generators = ClientGenerator.all + ClientGenerator.adapters
            guard let generator = generators.first(where: { $0.language == name }) else {
                let (languages, kits) = (Self.names(ClientGenerator.all), Self.names(ClientGenerator.adapters))
                throw ValidationError(
                    "There is no generator for \"\(name)\"; the languages are \(languages); the kits are \(kits)"
                )
            }
            return generator
        }
    )
    var generator: ClientGenerator

    @Option(
        help: ArgumentHelp("A file with the contract, in JSON or YAML; - is the standard input.", valueName: "file")
    )
    var from: PathArgument?

    @Flag(help: "Write nothing, and exit with 1 if the text in the file or on the standard input is stale.")
    var check = false

    private static func names(_ generators: [ClientGenerator]) -> String {
        generators.map(\.language).joined(separator: ", ")
    }

    func validate() throws {
        guard generator.adapter != nil else { return }
        let useless = [
            ("--from", from != nil), ("--socket", options.socket != nil), ("--session", options.session != nil),
            ("--existing", options.existing), ("--uid", options.uid != nil), ("--linger", options.linger != nil),
        ]
        guard let (option, _) = useless.first(where: \.1) else { return }
        throw ValidationError(
            "\(option) has no effect on \(generator.language): an adapter is the same for each contract and daemon"
        )
    }

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
            if let adapter = generator.adapter { return try await finish([adapter], output) }
            let contract =
                if let from {
                    try await ContractSource.read(from.path)
                } else {
                    try await CommandContext.open(options) { try await ContractSource.fetch($0.client) }
                }
            try await finish(generator.files(contract), output)
        }
    }

    private func finish(_ files: [ClientGenerator.File], _ output: String?) async throws {
        guard let first = files.first else { return }
        guard let output else {
            let text = Array(first.text.utf8)
            guard check else { return try Descriptor.output.write(text) }
            guard try await StandardInput.bytes() == text else { throw stale("The text on the standard input") }
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
            generator.adapter == nil
                ? "\(client) is not the client of this contract and of this viewmodelctl"
                : "\(client) is not the adapter of this viewmodelctl",
            remedy: "Generate it again"
        )
    }
}

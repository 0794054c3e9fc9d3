import ArgumentParser
import ViewModelClient
import ViewModelContract

struct Describe: Verb {
    static let configuration = CommandConfiguration(
        commandName: "describe",
        abstract: "Shows the contract of a ViewModel type: its inputs, outputs and actions.",
        discussion: """
            A member that may be left out has a ? after its name. Members stand in the declared order. With --output \
            json it is the type's part of rpc.discover.
            """
    )

    @OptionGroup(title: "Options of every verb") var options: GlobalOptions

    @Argument(help: ArgumentHelp("The type, as `viewmodelctl types` lists it, or a child's path.", valueName: "type"))
    var type: String

    func run(at context: CommandContext) async throws {
        let contract = try await context.contract()
        let child = contract.types.first { $0.childPaths.contains(type) }
        guard let description = contract.type(type) ?? child else {
            throw CommandFailure.notFound(
                "There is no type \"\(type)\"",
                remedy: ErrorText.question(type, among: contract.types.map(\.name)) ?? "viewmodelctl types lists them"
            )
        }
        try context.printer.print(
            description.node.json,
            as: ContractText(type: description, contract: contract, width: context.printer.columns).text
        )
    }
}

import ArgumentParser
import ViewModelClient

/// The verb `viewmodelctl types`.
struct Types: Verb {
    static let configuration = CommandConfiguration(
        abstract: "Lists the ViewModel types that the daemon hosts.",
        discussion: """
            Each type has a default instance of the same name, which the first mention creates. A type that exists \
            only as a child has none.
            """
    )

    @OptionGroup(title: "Options of every verb") var globals: GlobalOptions
    @ParentCommand var root: ViewModelCtl

    func run(at context: CommandContext) async throws {
        let contract = try await context.contract()
        let types = contract.types.sorted { $0.key < $1.key }.map { name, type in
            JSONValue.object([
                "type": .string(name),
                "description": type[JSONPointer(tokens: ["description"])] ?? .null,
            ])
        }
        try context.printer.print(.array(types))
    }
}

import ArgumentParser
import ViewModelClient

/// The verb `viewmodelctl types`.
struct Types: Verb {
    static let configuration = CommandConfiguration(
        abstract: "Lists the ViewModel types that the daemon hosts.",
        discussion: """
            Most types have a default instance of the same name, which the first mention creates. A type that exists \
            only as the child of another has none. Its instances are named PARENT.CHILD, and the column child has these \
            names.
            """
    )

    @OptionGroup(title: "Options of every verb") var globals: GlobalOptions
    @ParentCommand var root: ViewModelCtl

    func run(at context: CommandContext) async throws {
        let contract = try await context.contract()
        let types = contract.types.map { name, type in
            var row: JSONObject = ["type": .string(name), "description": type["description"] ?? .null]
            let paths = contract.childPaths(of: name)
            if !paths.isEmpty { row["child"] = .array(paths.map(JSONValue.string)) }
            return JSONValue.object(row)
        }
        try context.printer.print(.array(types))
    }
}

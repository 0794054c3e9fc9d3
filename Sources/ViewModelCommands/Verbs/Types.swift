import ArgumentParser
import ViewModelClient
import ViewModelContract

struct Types: Verb {
    static let configuration = CommandConfiguration(
        commandName: "types",
        abstract: "Lists the ViewModel types that the daemon hosts.",
        discussion: """
            Most types have a default instance of the same name, which the first mention creates. A type that exists \
            only as the child of another has none. Its instances are named PARENT.CHILD, and the column child has these \
            names.
            """
    )

    @OptionGroup(title: "Options of every verb") var options: GlobalOptions

    func run(at context: CommandContext) async throws {
        let types = try await context.contract().types.map { type in
            var row: JSONObject = ["type": .string(type.name), "description": type.node["description"]?.json ?? .null]
            if !type.childPaths.isEmpty { row["child"] = .array(type.childPaths.map(JSONValue.string)) }
            return JSONValue.object(row)
        }
        try context.printer.print(.array(types))
    }
}

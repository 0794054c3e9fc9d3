import ArgumentParser
import ViewModelClient

/// The verb `viewmodelctl sessions`.
struct Sessions: Verb {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract: "Lists the named sessions that are alive.",
        discussion: "A session that is only saved is not listed. --session attaches to it and restores it."
    )

    @OptionGroup(title: "Options of every verb") var globals: GlobalOptions
    @ParentCommand var root: ViewModelCtl

    @Flag(help: "The sessions of all users, for admins.")
    var all = false

    func run(at context: CommandContext) async throws {
        let params = all ? Array(#"{"all":true}"#.utf8) : nil
        let result = try await context.client.request(SessionList.name, params: params)
        try context.printer.print(JSONValue(text: result)?[JSONPointer(tokens: ["sessions"])] ?? .array([]))
    }
}

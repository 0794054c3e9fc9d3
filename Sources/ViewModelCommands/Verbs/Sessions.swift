import ArgumentParser
import ViewModelClient

struct Sessions: Verb {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract: "Lists the named sessions that are alive.",
        discussion: "A session that is only saved is not listed. --session attaches to it and restores it."
    )

    @OptionGroup(title: "Options of every verb") var options: GlobalOptions

    @Flag(help: "The sessions of all users, for admins.")
    var all = false

    func run(at context: CommandContext) async throws {
        let params = all ? Array(#"{"all":true}"#.utf8) : nil
        let result = try await context.client.request(SessionList.name, params: params)
        try context.printer.print(JSONValue(text: result)?[JSONPointer(tokens: ["sessions"])] ?? .array([]))
    }
}

import ArgumentParser
import ViewModelClient

struct Instances: Verb {
    static let configuration = CommandConfiguration(
        commandName: "instances",
        abstract: "Lists the instances of the session, in the order of their creation.",
        discussion: """
            Children and the built-in ViewModels are listed too. A default instance is listed after its first mention.
            """
    )

    @OptionGroup(title: "Options of every verb") var options: GlobalOptions

    func run(at context: CommandContext) async throws {
        let result = JSONValue(text: try await context.client.request(ViewModelList.name))
        try context.printer.print(result?["instances"] ?? .array([]))
    }
}

import ArgumentParser
import ViewModelClient

struct CloseInstance: Verb {
    static let configuration = CommandConfiguration(
        commandName: "close-instance",
        abstract: "Closes an instance of the session.",
        discussion: """
            Its actions are cancelled, and its children are closed too. A built-in ViewModel and a child cannot be \
            closed. The next mention of a default instance creates a new one.
            """
    )

    @OptionGroup(title: "Options of every verb") var options: GlobalOptions

    @Argument(help: "The instance, as `viewmodelctl instances` lists it.")
    var instance: String

    func run(at context: CommandContext) async throws {
        _ = try await context.client.call(ViewModelClose.self, ViewModelClose.Params(id: instance))
        try context.printer.print(.null)
    }
}

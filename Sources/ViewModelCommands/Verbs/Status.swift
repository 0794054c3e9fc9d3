import ArgumentParser
import ViewModelClient

/// The verb `viewmodelctl status`.
struct Status: Verb {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Prints the daemon's health: version, uptime, sessions, connections, memory, storage."
    )

    @OptionGroup(title: "Options of every verb") var globals: GlobalOptions
    @ParentCommand var root: ViewModelCtl

    func run(at context: CommandContext) async throws {
        let values = try await context.client.read("daemon").values
        if context.printer.isText {
            try context.printer.print(text: StatusText(values, width: context.printer.columns).text)
        } else {
            try context.printer.print(.object(values))
        }
    }
}

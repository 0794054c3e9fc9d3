import ArgumentParser
import ViewModelClient

struct Status: Verb {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Prints the daemon's health: version, uptime, sessions, connections, memory, storage."
    )

    @OptionGroup(title: "Options of every verb") var options: GlobalOptions

    func run(at context: CommandContext) async throws {
        let values = try await context.client.read("daemon").values
        try context.printer.print(.object(values), as: StatusText(values, width: context.printer.columns).text)
    }
}

import ArgumentParser
import ViewModelClient

struct Metrics: Verb {
    static let configuration = CommandConfiguration(
        commandName: "metrics",
        abstract: "Prints the daemon's metrics as OpenMetrics text.",
        discussion: """
            The text is printed unchanged, on a terminal and to a pipe, so that a collector can read it. With \
            --output json it is one JSON string.
            """
    )

    @OptionGroup(title: "Options of every verb") var options: GlobalOptions

    func run(at context: CommandContext) async throws {
        let text = try await context.client.read("metrics", outputs: ["text"])["text"] ?? .null
        if try options.format() == .json {
            try context.printer.print(text)
        } else {
            try context.printer.print(text: text.stringValue ?? "")
        }
    }
}

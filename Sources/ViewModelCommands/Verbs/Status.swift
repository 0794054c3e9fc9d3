import ArgumentParser
import ViewModelClient

/// `viewmodelctl status`.
struct Status: Verb {
    static let configuration = CommandConfiguration(
        abstract: "Prints the daemon's health: version, uptime, sessions, connections, memory, storage."
    )

    @OptionGroup(title: "Options of every verb") var globals: GlobalOptions
    @ParentCommand var root: ViewModelCtl

    func run(at desk: Desk) async throws {
        let values = try await desk.client.read("daemon").values
        if desk.printer.isText {
            try desk.printer.print(text: StatusText(values).text)
        } else {
            try desk.printer.print(.object(values))
        }
    }
}

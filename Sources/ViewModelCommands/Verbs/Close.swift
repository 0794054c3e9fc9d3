import ArgumentParser
import ViewModelClient

struct Close: Verb {
    static let configuration = CommandConfiguration(
        commandName: "close",
        abstract: "Ends a session and erases its saved state.",
        discussion: """
            Its actions are cancelled and its instances closed, for all attached clients. On a terminal the command asks \
            first, because the saved state cannot be brought back. close-instance closes a single instance.
            """
    )

    @OptionGroup(title: "Options of every verb") var options: GlobalOptions

    @Flag(name: [.customLong("yes"), .customShort("y")], help: "Do not ask.")
    var isConfirmed = false

    @Argument(
        help: "The session's name. Without it, --session names the session.",
        transform: SessionName.parse
    )
    var session: SessionName?

    func run(at context: CommandContext) async throws {
        guard let name = session ?? options.session else {
            throw CommandFailure.usage("close needs the name of a session", remedy: "Write close NAME")
        }
        let question = "Close \(name.text) and erase its state? [y/N]"
        if !isConfirmed, let answer = try await context.input.answer(to: question),
            !["y", "yes"].contains(answer.lowercased())
        {
            throw CommandFailure(.refused, "\(name.text) was not closed")
        }
        _ = try await context.client.call(SessionClose.self, SessionClose.Params(session: name, uid: context.uid))
        try context.printer.print(.null)
    }
}

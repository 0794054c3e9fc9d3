import ArgumentParser
import ViewModelClient

/// The verb `viewmodelctl close SESSION`.
struct Close: Verb {
    static let configuration = CommandConfiguration(
        abstract: "Ends a session and erases its saved state.",
        discussion: "Its actions are cancelled and its instances closed, for all attached clients."
    )

    @OptionGroup(title: "Options of every verb") var globals: GlobalOptions
    @ParentCommand var root: ViewModelCtl

    @Argument(
        help: "The session's name.",
        transform: {
            guard let name = SessionName($0) else { throw ValidationError("A session's name is \(SessionName.rule)") }
            return name
        }
    )
    var name: SessionName

    func run(at context: CommandContext) async throws {
        _ = try await context.client.call(SessionClose.self, SessionClose.Params(session: name, uid: context.uid))
        try context.printer.print(.null)
    }
}

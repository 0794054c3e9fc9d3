import ArgumentParser
import ViewModelClient

/// `viewmodelctl sessions`.
struct Sessions: Verb {
    static let configuration = CommandConfiguration(
        abstract: "Lists the named sessions that are alive.",
        discussion: "A session that is only saved is not listed; attaching to it by --session brings it back."
    )

    @OptionGroup(title: "Options of every verb") var globals: GlobalOptions
    @ParentCommand var root: ViewModelCtl

    func run(at desk: Desk) async throws {
        let result = try await desk.client.request(SessionList.name)
        try desk.printer.print(JSONValue(text: result)?[JSONPointer(tokens: ["sessions"])] ?? .array([]))
    }
}

import ArgumentParser
import ViewModelClient

/// `viewmodelctl logout`.
struct Logout: Verb {
    static let configuration = CommandConfiguration(
        abstract: "Signs out, for all clients of this user: the token and what was fetched are gone."
    )

    @OptionGroup(title: "Options of every verb") var globals: GlobalOptions
    @ParentCommand var root: ViewModelCtl

    func run(at desk: Desk) async throws {
        if try await desk.client.read("login", outputs: ["state"])["state"] == .string("signedOut") {
            try Descriptor.error.write(line: "viewmodelctl: nobody is signed in")
            return try desk.printer.print(.null)
        }
        try desk.printer.print(try await desk.client.run(action: "login.signOut"))
    }
}

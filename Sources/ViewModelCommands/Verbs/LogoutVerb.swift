import ArgumentParser
import UnixIO
import ViewModelClient

struct LogoutVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "Signs out, for all clients of this user, and removes the token and the fetched page."
    )

    @OptionGroup(title: "Options of every verb") var options: GlobalOptions

    func run(at context: CommandContext) async throws {
        if try await context.client.read("login", outputs: ["state"])["state"] == .string("signedOut") {
            try Descriptor.error.write(line: "viewmodelctl: no user is signed in")
            return try context.printer.print(.null)
        }
        try context.printer.print(try await context.client.run(action: "login.signOut"))
    }
}

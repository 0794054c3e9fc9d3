import ArgumentParser
import UnixIO
import ViewModelClient

struct LoginVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Signs in, for all clients of this user.",
        discussion: """
            Asks for the account and the password, or reads a line for each from the standard input. With a provider \
            that signs in on another device, and without an account, it prints the address and the code to type \
            there, and waits. With the accounts of the daemon itself, register one first: \
            viewmodelctl call login.register account=ann password=@-
            """
    )

    @OptionGroup(title: "Options of every verb") var options: GlobalOptions

    @Flag(help: "Sign in on another device, also if passwords are possible.")
    var device = false

    @Argument(help: "The account. Without it, the command asks for it.")
    var account: String?

    func validate() throws {
        guard !device || account == nil else { throw ValidationError("--device takes no account: it is chosen there") }
    }

    func run(at context: CommandContext) async throws {
        let login = try await context.client.read("login")
        if login["state"] == .string("signedIn"), let user = login["user"] {
            let name = ValueText.inline(user["account"] ?? .null)
            guard account == nil || user["account"] == account.map({ .string($0) }) else {
                throw CommandFailure(.refused, "\(name) is signed in", remedy: "viewmodelctl logout signs out")
            }
            try Descriptor.error.write(line: "viewmodelctl: \(name) is signed in already")
            return try context.printer.print(user)
        }
        let offersDevice = login["signInWithDevice.enabled"] == .bool(true)
        if device || (offersDevice && account == nil) {
            try context.printer.print(try await signInWithDevice(context.client))
        } else {
            try context.printer.print(try await signIn(context))
        }
    }

    private func signIn(_ context: CommandContext) async throws -> JSONValue {
        let client = context.client
        let questions = (account == nil ? [("Account", false)] : []) + [("Password", true)]
        let answers = try await context.input.answers(questions, for: "login")
        try await client.send(input: "login.account", account ?? answers[0])
        try await client.send(input: "login.password", answers[answers.count - 1])
        let problems = try await client.read("login", outputs: ["accountProblem", "passwordProblem"])
        for problem in ["accountProblem", "passwordProblem"] {
            if case .string(let text)? = problems[problem] {
                throw CommandFailure(.invalidParams, text)
            }
        }
        return try await client.run(action: "login.submit")
    }

    /// Shows the code and the address to type it at, until the person has granted the sign-in there.
    private func signInWithDevice(_ client: ViewModelClient) async throws -> JSONValue {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for try await update in client.bind("login", outputs: ["device"]) {
                    guard let device = update.picture["device"], device != .null else { continue }
                    try Descriptor.error.write(line: Self.invitation(device))
                }
            }
            let user = try await client.run(action: "login.signInWithDevice")
            group.cancelAll()
            return user
        }
    }

    private static func invitation(_ device: JSONValue) -> String {
        let text = { (name: String) in ValueText.inline(device[name] ?? .null) }
        let shortcut = device["verificationUriComplete"].flatMap {
            $0 == .null ? nil : "\n  or open \(ValueText.inline($0))"
        }
        return """
            On any device, open \(text("verificationUri"))
              and type the code \(text("userCode"))\(shortcut ?? "")
            Waiting until \(text("expiresAt")) …
            """
    }
}

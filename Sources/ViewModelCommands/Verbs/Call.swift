import ArgumentParser
import ViewModelClient

struct Call: Verb {
    static let configuration = CommandConfiguration(
        commandName: "call",
        abstract: "Sends a value to an input, or runs an action, and prints the result.",
        usage: """
            viewmodelctl call <instance.member> [<name=value> ...] [<options>]
            viewmodelctl call <instance.member> --text <text> [<options>]
            viewmodelctl call <instance.member> --json <params> [<options>]

            Options: [--deadline <ms>] [--key <key>] [--notify] [--show-secrets] [--socket <path>] [--session <name>] \
            [--existing] [--uid <uid>] [--output <output>] [--linger <seconds>] [--timeout <seconds>]
            """,
        discussion: """
            name=text   a text, or the number in it if the contract requires a number
            name:=json  a JSON value
            name=@file  the content of a file; name=@- reads the standard input, for example a password, which a \
            terminal does not show
            text        the value without a name, for a member that takes one value, or an object with one required \
            member
            -- text     the value without a name, unchanged

            A text that a user has typed goes after --text or --, because it may contain = or begin with -. A file is \
            read for name=@file only, never for a value without a name. The last line end of a file and of the standard \
            input is cut. A password goes into name=@-, because other users can read the command line.
            """
    )

    @OptionGroup(title: "Options of every verb") var options: GlobalOptions

    @Option(parsing: .unconditional, help: "The value, a text that is sent unchanged whatever it contains.")
    var text: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The params as a JSON object or array.", valueName: "params"),
        transform: JSONArgument.init(parsing:)
    )
    var json: JSONArgument?

    @OptionGroup var meta: MetaOptions

    @OptionGroup var secrets: SecretOptions

    @Flag(help: "Send a notification: no reply is awaited, and no error is reported.")
    var notify = false

    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp(
            "The input or action, for example calculator.press, and its values.",
            valueName: "instance.member"
        )
    )
    var arguments: [ValueWord] = []

    var words: [String] { arguments.map(\.word) }

    var delay: String { "\(words.first ?? "call") did not end" }

    func validate() throws {
        guard let method = words.first else { throw ValidationError("Missing expected argument '<instance.member>'") }
        for word in words.prefix(while: { $0 != "--" }) where word.hasPrefix("-") && !Self.isValue(word) {
            throw ValidationError("Unknown option '\(word)'. A text that begins with - goes after --text or --")
        }
        guard MemberPath(method: method) != nil else {
            throw ValidationError("'\(method)' is not instance.member, as in calculator.press")
        }
        guard [json == nil, text == nil, words.count == 1].count(where: { !$0 }) <= 1 else {
            throw ValidationError("--json and --text stand for all values")
        }
        do {
            _ = try parameters
        } catch {
            throw ValidationError(ErrorText.join(error.message, error.remedy))
        }
    }

    func run(at context: CommandContext) async throws {
        guard let path = words.first.flatMap(MemberPath.init(method:)) else { return }
        let params = try await params(of: path, context)
        if notify {
            try await context.client.notify(path.method, params: params)
            // Requests start in the order of their arrival, so after this reply the daemon has read the notification.
            _ = try await context.client.request(CancelRequest.name, params: Array(#"{"id":null}"#.utf8))
        } else {
            let filter = SecretFilter(context, secrets)
            try context.printer.print(raw: try await filter.request(path.method, params: params))
        }
    }

    private var parameters: Parameters {
        get throws(CommandFailure) {
            if let text { return Parameters(text: text) }
            return try Parameters(Array(words.dropFirst()))
        }
    }

    private func params(of path: MemberPath, _ context: CommandContext) async throws -> [UInt8]? {
        if let json {
            try await context.warnOfSecrets(in: JSONValue(text: json.bytes) ?? .null, of: path)
            return try meta.adding(to: json.bytes)
        }
        var parameters = try parameters
        guard !parameters.values.isEmpty else { return try meta.adding(to: nil) }
        let form = parameters.needsContract ? try await context.form(of: path) : .unknown
        try parameters.setNames(for: form, of: path.method)
        try await context.warnOfSecrets(in: .object(parameters.visible), of: path)
        return try meta.adding(to: JSONValue.object(try await parameters.object(form, reading: context.input)).text)
    }

    /// Returns whether a word that begins with a dash is a value, such as `-` or `-5`, and not an option.
    private static func isValue(_ word: String) -> Bool {
        guard let second = word.dropFirst().first else { return true }
        return second.isNumber || second == "." || second == "="
    }
}

import ArgumentParser
import ViewModelClient
import ViewModelContract

struct Open: Verb {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Opens an instance of a type and prints its id.",
        usage: """
            viewmodelctl open <type> [--id <id>] [<name=value> ...] [<options>]
            viewmodelctl open <type> [--id <id>] --json <arguments> [<options>]

            Options: [--socket <path>] [--session <name>] [--existing] [--uid <uid>] [--output <output>] [--linger <seconds>] \
            [--timeout <seconds>]
            """,
        discussion: """
            The arguments of the instance are written as in call. If the id already names an instance of the type, it is \
            returned, and the arguments have no effect. The instance lives in a session: name one with --session, or open \
            it in a script.
            """
    )

    @OptionGroup(title: "Options of every verb") var options: GlobalOptions

    @Option(help: "The id of the instance. The default is a new one.")
    var id: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The arguments as a JSON object.", valueName: "arguments"),
        transform: JSONArgument.init(parsing:)
    )
    var json: JSONArgument?

    @Argument(help: ArgumentHelp("The type, as `viewmodelctl types` lists it.", valueName: "type"))
    var type: String

    @Argument(help: ArgumentHelp("The arguments.", valueName: "name=value"))
    var arguments: [ValueWord] = []

    var words: [String] { arguments.map(\.word) }

    func validate() throws {
        guard json == nil || words.isEmpty else { throw ValidationError("--json stands for all arguments") }
        do {
            _ = try Parameters(words)
        } catch {
            throw ValidationError(ErrorText.join(error.message, error.remedy))
        }
    }

    func run(at context: CommandContext) async throws {
        var params: JSONObject = ["type": .string(type)]
        params["id"] = id.map(JSONValue.string)
        if let json {
            let arguments = JSONValue(text: json.bytes)
            try await context.warnOfSecrets(in: arguments ?? .null) { [$0.type(type)?.arguments] }
            params["arguments"] = arguments
        } else if !words.isEmpty {
            var arguments = try Parameters(words)
            let contract = try await context.contract()
            let form = ParameterForm(contract.type(type)?.arguments, in: contract)
            try arguments.setNames(for: form, of: type)
            try await context.warnOfSecrets(in: .object(arguments.visible)) { [$0.type(type)?.arguments] }
            params["arguments"] = .object(try await arguments.object(form, reading: context.input))
        }
        let result = try await context.client.request(ViewModelOpen.name, params: JSONValue.object(params).text)
        try context.printer.print(raw: result)
    }
}

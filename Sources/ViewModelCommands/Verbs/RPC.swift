import ArgumentParser
import ViewModelClient
import ViewModelContract

struct RPC: Verb {
    static let configuration = CommandConfiguration(
        commandName: "rpc",
        abstract: "Sends one raw request and prints its result."
    )

    @OptionGroup(title: "Options of every verb") var options: GlobalOptions

    @Argument(help: "The method, for example viewModel.list.")
    var method: String

    @Argument(help: "The params, a JSON object or array.", transform: JSONArgument.init(parsing:))
    var params: JSONArgument?

    @OptionGroup var secrets: SecretOptions

    func run(at context: CommandContext) async throws {
        if let params, let value = JSONValue(text: params.bytes) {
            if method == ViewModelOpen.name, let type = value["type"]?.stringValue {
                try await context.warnOfSecrets(in: value["arguments"] ?? .null, use: "open") {
                    [$0.type(type)?.arguments]
                }
            } else if let path = MemberPath(method: method), !InstanceID.reserved.contains(path.instance) {
                try await context.warnOfSecrets(in: value, of: path, use: "call")
            }
        }
        let filter = SecretFilter(context, secrets)
        try context.printer.print(raw: try await filter.request(method, params: params?.bytes))
    }
}

import ArgumentParser
import ViewModelClient

/// The context of a verb: the connection, the output and the input.
struct CommandContext: Sendable {
    let client: ViewModelClient
    var printer: Printer
    let input: InputReader
    /// The owner of the sessions; nil means the caller.
    let uid: UInt32?
    private let contractOnce = ContractCache()

    init(client: ViewModelClient, printer: Printer, input: InputReader = InputReader(), uid: UInt32? = nil) {
        self.client = client
        self.uid = uid
        self.printer = printer
        self.input = input
    }

    /// Returns the daemon's contract, which is fetched once.
    func contract() async throws -> ContractDocument {
        try await contractOnce.value(client)
    }

    /// Returns the parameters of a member from the contract of its instance's type.
    func form(of path: MemberPath) async throws -> ParameterForm {
        let contract = try await contract()
        if let type = contract.type(of: path.instance) {
            return contract.shape(of: path.member, type: type) ?? .unknown
        }
        let instances = try await client.call(ViewModelList.self).instances
        guard let type = instances.first(where: { $0.id == path.instance })?.type else { return .unknown }
        return contract.shape(of: path.member, type: type) ?? .unknown
    }

    /// Connects, attaches to the session that the options name, and runs `work`.
    static func open(
        _ options: GlobalOptions,
        reconnects: Bool = false,
        _ work: (CommandContext) async throws -> Void
    ) async throws {
        var clientOptions = ClientOptions()
        clientOptions.reconnects = reconnects
        clientOptions.session = options.session.map {
            SessionAttach.Params(
                session: $0,
                linger: options.linger,
                client: ClientInfo(name: "viewmodelctl"),
                uid: options.uid
            )
        }
        guard options.linger == nil || options.session != nil else {
            throw CommandFailure.usage("--linger is for a session that stays", remedy: "Name it with --session")
        }
        let socket = options.socketPath
        let printer = Printer(try options.format() ?? .auto)
        try await withViewModelClient(socket: socket, options: clientOptions) { client in
            try await work(CommandContext(client: client, printer: printer, uid: options.uid))
        }
    }

    /// Returns this context with another output format.
    func writing(_ format: OutputFormat) -> CommandContext {
        var context = self
        context.printer = Printer(format)
        return context
    }
}

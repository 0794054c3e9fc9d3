import ArgumentParser
import ViewModelClient
import ViewModelContract

/// The context of a verb: the connection, the output and the input.
struct CommandContext: Sendable {
    let client: ViewModelClient
    var printer: Printer
    var input: InputReader
    /// The owner of the sessions; nil means the caller.
    let uid: UInt32?
    /// Whether passwords are printed by all verbs.
    var showsSecrets = false
    /// Whether the verb is a line of a script, which other users cannot see.
    var isInScript = false
    private let contractOnce = ContractCache()

    init(client: ViewModelClient, printer: Printer, input: InputReader = InputReader(), uid: UInt32? = nil) {
        self.client = client
        self.uid = uid
        self.printer = printer
        self.input = input
    }

    /// Returns the daemon's contract, which is fetched once.
    func contract() async throws -> Contract {
        try await contractOnce.value(client)
    }

    /// Fetches the contract again when it is needed the next time.
    func forgetContract() async { await contractOnce.forget() }

    /// Returns the type of an instance, or nil if the session has no such instance.
    func type(of instance: String) async throws -> ContractType? {
        let contract = try await contract()
        if let type = contract.type(ofInstance: instance) { return type }
        let instances = try await client.call(ViewModelList.self).instances
        return instances.first { $0.id == instance }.flatMap { contract.type($0.type) }
    }

    /// Returns the parameters of a member from the contract of its instance's type.
    func form(of path: MemberPath) async throws -> ParameterForm {
        let contract = try await contract()
        return try await type(of: path.instance).map { ParameterForm(of: path.member, $0, in: contract) } ?? .unknown
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

/// A cache of the contract, which the verbs of a script share.
private actor ContractCache {
    private var contract: Contract?

    func value(_ client: ViewModelClient) async throws -> Contract {
        if let contract { return contract }
        let discovered = Contract(ofDaemon: try await client.call(RPCDiscover.self))
        contract = discovered
        return discovered
    }

    func forget() { contract = nil }
}

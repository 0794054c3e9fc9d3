import ViewModelClient

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// What a verb works with: a connection, and a place to write results to.
struct CommandContext {
    let client: ViewModelClient
    var printer: Printer
    let input: InputReader
    /// The user whose sessions are meant; the caller where it is nil.
    let uid: UInt32?
    private let contractOnce = ContractCache()

    init(client: ViewModelClient, printer: Printer, input: InputReader = InputReader(), uid: UInt32? = nil) {
        self.client = client
        self.uid = uid
        self.printer = printer
        self.input = input
    }

    /// What the daemon hosts, asked for once.
    func contract() async throws -> Contract {
        try await contractOnce.value(client)
    }

    /// Connects, attaches to the session that the options name, and lets somebody work.
    static func open(
        _ options: GlobalOptions,
        reconnects: Bool = false,
        _ work: (CommandContext) async throws -> Void
    ) async throws {
        var clientOptions = ClientOptions()
        clientOptions.reconnects = reconnects
        clientOptions.session = options.session.map {
            SessionAttach.Params(session: $0, client: ClientInfo(name: "viewmodelctl"), uid: options.uid)
        }
        let socket =
            options.socket ?? SocketPath.standard(environment: ProcessEnvironment.current, uid: UInt32(geteuid()))
        let printer = Printer(options.output ?? .auto)
        try await withViewModelClient(socket: socket, options: clientOptions) { client in
            try await work(CommandContext(client: client, printer: printer, uid: options.uid))
        }
    }

    /// This context with its results in another form.
    func writing(_ format: OutputFormat) -> CommandContext {
        var context = self
        context.printer = Printer(format)
        return context
    }
}

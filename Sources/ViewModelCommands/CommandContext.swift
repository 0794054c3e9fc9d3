import ArgumentParser
import ViewModelClient

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The context of a verb: the connection, the output and the input.
struct CommandContext {
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
    func contract() async throws -> Contract {
        try await contractOnce.value(client)
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
            SessionAttach.Params(session: $0, client: ClientInfo(name: "viewmodelctl"), uid: options.uid)
        }
        let socket =
            options.socket ?? SocketPath.standard(environment: ProcessEnvironment.current, uid: UInt32(geteuid()))
        let printer = Printer(options.output ?? .auto)
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

/// A verb that sends requests to the daemon, on a command line or in a script.
protocol Verb: AsyncParsableCommand {
    /// The options after the verb's name.
    var globals: GlobalOptions { get }

    /// The root command with the options before the verb's name.
    var root: ViewModelCtl { get }

    /// Whether the verb reconnects after a lost connection.
    var reconnects: Bool { get }

    /// Runs the verb on an open connection.
    func run(at context: CommandContext) async throws
}

extension Verb {
    var reconnects: Bool { false }

    /// The options before and after the verb's name.
    var options: GlobalOptions { globals.merging(root.globals) }

    mutating func run() async throws {
        let verb = self
        try await CommandContext.open(options, reconnects: reconnects) { try await verb.run(at: $0) }
    }
}

import Glibc
import UnixIO
package import ViewModelClient
package import ViewModelContract

/// The context of a verb: the connection, the output and the input.
package struct CommandContext: Sendable {
    package let client: ViewModelClient
    package var printer: Printer
    package var input = InputReader()
    /// The owner of the sessions; nil means the caller.
    var uid: UInt32?
    /// Whether passwords are printed by all verbs.
    var showsSecrets = false
    /// Whether the verb is a line of a script, which other users cannot see.
    var isInScript = false
    private let contracts = ContractCache()

    /// Returns the daemon's contract, which is fetched once.
    ///
    /// For a default instance the contract has only its type, which is read sooner.
    package func contract(of instance: String? = nil) async throws -> Contract {
        try await contracts.value(client, of: instance)
    }

    /// Fetches the contract again when it is needed the next time.
    func forgetContract() async { await contracts.forget() }

    /// Returns the type of an instance, or nil if the session has no such instance.
    func type(of instance: String) async throws -> ContractType? {
        let contract = try await contract(of: instance)
        if let type = contract.type(ofInstance: instance) { return type }
        let instances = try await client.call(ViewModelList.self).instances
        return instances.first { $0.id == instance }.flatMap { contract.type($0.type) }
    }

    func form(of path: MemberPath) async throws -> ParameterForm {
        let contract = try await contract(of: path.instance)
        return try await type(of: path.instance).map { ParameterForm(of: path.member, $0, in: contract) } ?? .unknown
    }

    /// Connects, attaches to the session that the options name, and runs `work`.
    ///
    /// A client that reconnects also waits until the daemon listens. `connectionChanged` is called with true if the
    /// command waits for the daemon, and with false after that. The client calls `trace` with each line.
    package static func open<Result: Sendable>(
        _ options: GlobalOptions,
        as name: String = "viewmodelctl",
        reconnects: Bool = false,
        trace: (@Sendable (ClientOptions.Direction, [UInt8]) -> Void)? = nil,
        connectionChanged: (_ isLost: Bool) throws -> Void = { _ in },
        _ work: (CommandContext) async throws -> Result
    ) async throws -> Result {
        var clientOptions = ClientOptions()
        clientOptions.reconnects = reconnects
        clientOptions.trace = trace
        clientOptions.session = options.session.map {
            SessionAttach.Params(
                session: $0,
                linger: options.linger,
                client: ClientInfo(name: name),
                uid: options.uid
            )
        }
        guard options.linger == nil || options.session != nil else {
            throw CommandFailure.usage("--linger is for a session that stays", remedy: "Name it with --session")
        }
        guard !options.existing || options.session != nil else {
            throw CommandFailure.usage("--existing is for a session with a name", remedy: "Name it with --session")
        }
        let socket = options.socketPath
        let printer = Printer(try options.format() ?? .auto)
        var (backoff, isWaiting, isConnected) = (clientOptions.backoff, false, false)
        while true {
            do {
                return try await withViewModelClient(socket: socket, options: clientOptions) { client in
                    isConnected = true
                    try await client.requireExistingSession(options)
                    if isWaiting { try connectionChanged(false) }
                    return try await work(CommandContext(client: client, printer: printer, uid: options.uid))
                }
            } catch let error as ClientError {
                guard reconnects, !isConnected, error.code == .noConnection, isAwaited(socket) else { throw error }
                if !isWaiting {
                    isWaiting = true
                    try Descriptor.error.write(line: "viewmodelctl: \(error.message). Waiting for viewmodeld")
                    try connectionChanged(true)
                }
                try await Task.sleep(for: backoff.delay())
            }
        }
    }

    /// Returns whether a daemon may listen later at a socket that refuses connections now.
    private static func isAwaited(_ socket: String) -> Bool {
        do {
            close(try LocalSocket.connect(to: socket))
            return true
        } catch {
            // The kernel also refuses to connect to a file of another kind.
            return [nil, S_IFSOCK].contains(stat(of: socket)?.kind)
                && [ENOENT, ECONNREFUSED, EAGAIN].contains(error.code)
        }
    }
}

/// A cache of the contract, which the verbs of a script share.
private actor ContractCache {
    private var document: JSONValue?
    /// The contracts of single types, and the whole one at nil.
    private var contracts: [String?: Contract] = [:]

    func value(_ client: ViewModelClient, of instance: String?) async throws -> Contract {
        if let known = contracts[nil] ?? contracts[instance] { return known }
        let document = if let document { document } else { try await client.call(RPCDiscover.self) }
        self.document = document
        let part = instance.flatMap { Contract(ofDaemon: document, type: $0) }
        let contract = part ?? Contract(ofDaemon: document)
        contracts[part == nil ? nil : instance] = contract
        return contract
    }

    func forget() { (document, contracts) = (nil, [:]) }
}

extension ViewModelClient {
    /// Ends a session that the attach has made, and throws, if the options want one that exists.
    ///
    /// - Throws: ``CommandFailure`` with the names of similar sessions.
    fileprivate func requireExistingSession(_ options: GlobalOptions) async throws {
        guard options.existing, let name = options.session, let attachment, attachment.created, !attachment.restored
        else { return }
        _ = try await call(SessionClose.self, SessionClose.Params(session: name))
        let sessions = try await call(SessionList.self, SessionList.Params()).sessions
        throw CommandFailure.notFound(
            "There is no session \"\(name.text)\"",
            remedy: ErrorText.question(name.text, among: sessions.map(\.session))
                ?? "viewmodelctl sessions lists those that are alive"
        )
    }
}

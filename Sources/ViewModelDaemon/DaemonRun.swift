import Accounts
import CoreMetrics
import FoundationEssentials
import Glibc
import Logging
import PathArguments
import ServiceLifecycle
import UnixIO
import UnixSignals
import ViewModelConfiguration
import ViewModelContract
import ViewModelHost
import ViewModelKit
import ViewModelMetrics
import ViewModelServer
import ViewModelStorage
import ViewModelTranscript

/// A run of the daemon after its configuration was loaded: it creates the services and runs them in one group.
struct DaemonRun {
    let options: DaemonOptions
    let loader: ConfigurationLoader
    let loaded: ConfigurationLoader.Loaded
    let serviceManager: ServiceManager
    /// The SIGHUPs, each of which requests a reload of the configuration.
    let reloadSignals: UnixSignalsSequence
    let log: DaemonLog
    /// The contract to host in place of the author's ViewModels, or nil.
    let mock: MockContract?
    /// Hosts the ViewModels of the daemon's author.
    let register: @Sendable (inout ViewModelCatalog, DaemonContext) async throws -> Void

    private var configuration: DaemonConfiguration { loaded.configuration }
    private var logger: Logger { log.logger }

    /// What a daemon keeps: its directory, its store and the services over them.
    private struct Storage: Sendable {
        let state: StateDirectory
        let store: any StateStorage
        let accounts: AccountService
        let outbox: OutboxService
    }

    /// Runs until the daemon is asked to stop.
    ///
    /// - Throws: The error that prevented the start or ended the run.
    func run() async throws {
        // The reader of the log may exit. A write to its pipe must then fail with EPIPE and not end the daemon.
        signal(SIGPIPE, SIG_IGN)
        // A metric binds to the factory that is installed when the metric is created, so this precedes all services.
        let registry = MetricsRegistry(help: MetricHelp.texts)
        MetricsSystem.bootstrap(registry)
        logLoaded()
        if let mock { return try await runMock(mock) }
        let state = try StateDirectory(options.state.directory.statePath())
        let store = try await openStore(in: state)
        try await withCleanup {
            try await runAccounts(store: store, state: state, registry: registry)
        } cleanUp: {
            // Closing empties the log of the database into its file.
            try await store.close()
            // From here on, another daemon and the command `vault` may use the directory.
            state.release()
        }
    }

    /// Opens the store.
    ///
    /// - Throws: `StoreError`. If the shared database is away, its text also says what follows.
    private func openStore(in state: StateDirectory) async throws(StoreError) -> any StateStorage {
        do throws(StoreError) {
            return try await configuration.openStore(in: state.path, logger: logger)
        } catch {
            guard error.kind == .unavailable else { throw error }
            throw error.adding("The daemon ends, and its service manager starts it again")
        }
    }

    /// Runs a mock, which keeps nothing.
    private func runMock(_ mock: MockContract) async throws {
        var catalog = ViewModelCatalog()
        try mock.host(in: &catalog)
        logger.notice("Hosting a mock", metadata: ["contract": "\(options.mock?.path ?? "")"])
        for fault in mock.unchecked {
            logger.warning(
                "A pattern of the contract is not checked",
                metadata: ["line": "\(fault.line ?? 0)", "place": "\(fault.pointer)", "reason": "\(fault.message)"]
            )
        }
        try await runServer(catalog, nil, services: [])
    }

    /// Runs the accounts and the outbox, and the server inside of them, because the server's sessions use both.
    private func runAccounts(store: any StateStorage, state: StateDirectory, registry: MetricsRegistry) async throws {
        // Without the right vault key, users would be signed out for no visible reason. The daemon does not start then.
        try await store.vault.verify()
        let accounts = AccountService(
            provider: try configuration.account.makeProvider(over: store),
            store: store,
            logger: logger
        )
        let outbox = OutboxService(outbox: store.outbox, logger: logger)
        let storage = Storage(state: state, store: store, accounts: accounts, outbox: outbox)
        try await accounts.run {
            try await outbox.run {
                let context = DaemonContext(
                    logger: logger,
                    stateDirectory: state.path,
                    accounts: accounts,
                    outbox: outbox,
                    hasLab: configuration.lab,
                    ownValues: configuration.own
                )
                var catalog = ViewModelCatalog()
                try catalog.host(OpenMetrics.self, isRestored: false) { context in
                    OpenMetrics(registry: registry, clock: context.clock)
                }
                try await register(&catalog, context)
                if !catalog.provides(AccountService.self), configuration.account != DaemonConfiguration().account {
                    logger.warning(
                        "The section account of the configuration has no effect: no ViewModel uses accounts"
                    )
                }
                try await runServer(catalog, storage, services: context.services.all)
            }
        }
    }

    private func logLoaded() {
        if !loaded.files.isEmpty {
            logger.info("Read the configuration", metadata: ["file": "\(loaded.names)"])
        }
        for warning in loaded.warnings {
            logger.warning(
                "The configuration has a questionable value",
                metadata: ["place": "\(warning.location)", "reason": "\(warning.message)"]
            )
        }
    }

    /// Creates the file of the recording that `--record` requests, and its directory if it is missing.
    private func makeRecorder() throws -> TranscriptRecorder? {
        guard let directory = options.record?.path else { return nil }
        do {
            try PrivateDirectory.make(directory)
        } catch {
            throw PrivateDirectory.Failure(description: "\(error); choose another directory with --record")
        }
        let name = RunningDaemon.program.name
        let path = TranscriptRecorder.newFile(in: directory, program: name)
        let facts: Logger.Metadata = ["file": "\(path)"]
        let program = "\(name) \(RunningDaemon.version)"
        let recorder = try TranscriptRecorder(file: path, program: program) { [logger] reason in
            logger.error("The recording has ended early", metadata: facts.merging(["error": "\(reason)"]) { $1 })
        }
        logger.notice("Recording the messages of all connections", metadata: facts)
        return recorder
    }

    /// Serves a catalog until the daemon is asked to stop.
    ///
    /// - Parameters:
    ///   - catalog: the ViewModels.
    ///   - storage: what the daemon keeps, or nil if it keeps nothing.
    ///   - own: the services of the daemon's author, which stop after the server.
    /// - Throws: The error that prevented the start or ended the run.
    private func runServer(_ catalog: ViewModelCatalog, _ storage: Storage?, services own: [any Service]) async throws {
        var health: (@Sendable () -> StorageHealth)?
        if let store = storage?.store { health = { store.health() } }
        let recorder = try makeRecorder()
        let server = try ViewModelServer(
            catalog: catalog,
            configuration: configuration.host,
            sockets: options.sockets(configuration.socket, inherited: serviceManager.inheritedSockets),
            state: storage?.state,
            store: storage?.store.sessions,
            placement: storage?.store.placement,
            storage: health,
            // The first reply to a user then contains the user's account and outbox.
            prepareUser: { uid in
                await storage?.accounts.prepare(uid)
                await storage?.outbox.prepare(uid)
            },
            name: RunningDaemon.program.name,
            version: RunningDaemon.version,
            developmentHints: options.development ? DevelopmentInput.lines() : nil,
            logger: logger,
            observer: recorder,
            phase: { [serviceManager, logger] in serviceManager.notify($0, logger) }
        )
        let reloader = ConfigurationReloader(
            loader,
            running: loaded,
            reloadSignals: reloadSignals,
            notifier: serviceManager.notifier,
            logger: logger
        ) { [log] configuration in
            log.apply(configuration.log)
            server.adopt(configuration.host)
            storage?.store.adopt(configuration.storeBounds)
        }
        var services = own.map {
            ServiceGroupConfiguration.ServiceConfiguration(service: $0, serviceName: "\(type(of: $0))")
        }
        // It stops after the server, whose last saves need the daemon's part in the store.
        if let storage, let sharing = storage.store.sharing {
            let follower = ChangeFollower(
                sharing: sharing,
                accounts: storage.accounts,
                outbox: storage.outbox,
                server: server
            )
            services.append(.init(service: follower, serviceName: "changes"))
        }
        services.append(.init(service: server, serviceName: "server"))
        services.append(.init(service: reloader, serviceName: "reloader"))
        if let watchdog = serviceManager.watchdog(server, storage?.store, logger) {
            services.append(.init(service: watchdog, serviceName: "watchdog"))
        }
        try await ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services,
                gracefulShutdownSignals: [.sigterm, .sigint],
                logger: logger
            )
        ).run()
    }
}

extension DaemonConfiguration.Account {
    /// Creates the account provider that the configuration selects.
    ///
    /// - Throws: `UnusableURL` for an invalid address; `ConfigurationError` if the client secret cannot be read, or others
    ///   can read it.
    func makeProvider(over store: any StateStorage) throws -> any AccountProvider {
        let timeout = Duration.seconds(timeoutSeconds)
        switch provider {
        case .local: return LocalProvider(accounts: store.accounts)
        case .http: return try HTTPProvider(url: url ?? "", timeout: timeout)
        case .oauth:
            let configuration = OAuthConfiguration(
                issuer: oauth.issuer ?? "",
                clientID: oauth.clientId ?? "",
                clientSecret: try oauth.clientSecretFile.map { try Self.clientSecret(in: $0) },
                scopes: oauth.scopes,
                passwordGrant: oauth.passwordGrant,
                messagesURL: url
            )
            return try OAuthProvider(configuration: configuration, timeout: timeout)
        }
    }

    /// Reads the client secret without trailing white space, such as the line feed that editors append.
    private static func clientSecret(in path: String) throws -> Secret {
        let credentials = ProcessText.variables["CREDENTIALS_DIRECTORY"]
        let isCredential = SecretFile.isCredential(path, in: credentials)
        do throws(SecretFile.Problem) {
            let content = try SecretFile.read(path, atMost: longestClientSecret, isCredential: isCredential)
            let text = String(decoding: content, as: UTF8.self)
            let secret = String(text.reversed().drop(while: \.isWhitespace).reversed())
            guard !secret.isEmpty, content.count <= longestClientSecret else {
                let expected = "a client secret of at most \(longestClientSecret) bytes"
                throw SecretFile.Problem(description: "does not contain \(expected). Write it into the file")
            }
            return Secret(secret)
        } catch {
            throw ConfigurationError(
                problems: [
                    .init(location: .init(source: "account.oauth.clientSecretFile"), message: "\(path) \(error)")
                ]
            )
        }
    }

    /// The largest size of the client secret's file in bytes.
    private static var longestClientSecret: Int { 4096 }
}

/// Runs `body`, then `cleanUp`, also after an error of `body`.
///
/// - Returns: The result of `body`.
/// - Throws: The error of `cleanUp`, else that of `body`.
func withCleanup<Result>(
    _ body: () async throws -> Result,
    cleanUp: () async throws -> Void
) async throws -> Result {
    let result: Swift.Result<Result, any Error>
    do {
        result = .success(try await body())
    } catch {
        result = .failure(error)
    }
    try await cleanUp()
    return try result.get()
}

extension TranscriptRecorder: MessageObserver {}
extension RecordedConnection: ConnectionObserver {}

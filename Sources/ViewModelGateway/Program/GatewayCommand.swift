import ArgumentParser
import Foundation
import Logging
import NIOCore
import NIOPosix
import PathArguments
import ServiceLifecycle
import Systemd
import UnixIO
import UnixSignals
import ViewModelClient
import ViewModelConfiguration
import ViewModelProtocol

struct GatewayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: ViewModelGateway.name,
        abstract: "Lets browsers use the ViewModels of viewmodeld: a WebSocket, server-sent events, and the inspector.",
        discussion: "viewmodelctl inspect starts it and opens its page. Its configuration is the section gateway of "
            + "the daemon's file.",
        version: Release.version
    )

    @Option(
        help: ArgumentHelp(
            "The configuration file, which is that of the daemon.",
            valueName: "file"
        ),
        completion: .file()
    )
    var config: PathArgument?

    @Option(
        help: ArgumentHelp(
            "The daemon's socket.",
            discussion: "The default is $VIEWMODELD_SOCKET, then socket.path, then the daemon's default.",
            valueName: "path"
        ),
        completion: .file()
    )
    var socket: PathArgument?

    @Option(
        help: ArgumentHelp(
            "The address to listen on: HOST:PORT, or the path of a socket for a reverse proxy.",
            valueName: "address"
        )
    )
    var listen: PathArgument?

    @Option(
        help: ArgumentHelp(
            "The directory of the token and of the control socket.",
            discussion: "The default is $RUNTIME_DIRECTORY, else $XDG_RUNTIME_DIR/\(ViewModelGateway.name), for root "
                + "/run/\(ViewModelGateway.name).",
            valueName: "directory"
        ),
        completion: .directory
    )
    var runtimeDirectory: PathArgument?

    @Option(
        help: ArgumentHelp("The log level, such as debug or warning.", valueName: "level"),
        transform: Logger.Level.parse
    )
    var logLevel: Logger.Level?

    @Option(help: ArgumentHelp("Serve the files of this folder instead of the built-in ones.", valueName: "folder"))
    var page: PathArgument?

    @Flag(help: "Let clients with the bearer token call inputs and actions.")
    var control = false

    @Flag(help: "Check the configuration and exit with 0 if it is valid, else with 78.")
    var checkConfig = false

    /// Loads the configuration, and runs the gateway until it is asked to stop.
    ///
    /// - Throws: `ExitCode`, after the error was printed or logged.
    func start(_ service: ServiceEnvironment) async throws {
        let environment = ProcessText.variables
        let flags: [KeyFlag?] = [
            logLevel.map { ("log.level", "--log-level", $0.rawValue) },
            listen.map { ("gateway.listen", "--listen", $0.path) },
            control ? ("gateway.control", "--control", "true") : nil,
        ]
        let loader = ConfigurationLoader(file: config?.path, flags: flags.compactMap(\.self))
        let loaded: ConfigurationLoader.Loaded
        do {
            loaded = try loader.load()
            try GatewayAddresses.check(loaded.configuration.gateway)
        } catch {
            StandardError.print(as: ViewModelGateway.name, "\(error)", level: .error)
            let code = GatewayExit.code(for: error)
            if !checkConfig { GatewayExit.refuseClients(service, code, reason: "\(error)") }
            throw code
        }
        if checkConfig {
            try Descriptor.output.write(line: "\(loaded.names): the configuration is valid")
            return
        }
        let log = DaemonLog(of: ViewModelGateway.name, loaded.configuration.log)
        defer { log.flush() }
        do {
            try await run(loaded.configuration, environment, service, log.logger)
        } catch {
            log.logger.critical("\(error)")
            let code = GatewayExit.code(for: error)
            GatewayExit.refuseClients(service, code, reason: "\(error)")
            throw code
        }
    }

    /// Runs the services of the gateway until it is asked to stop.
    private func run(
        _ configuration: DaemonConfiguration,
        _ environment: [String: String],
        _ service: ServiceEnvironment,
        _ logger: Logger
    ) async throws {
        // A write to a log whose reader has gone must not end the process.
        signal(SIGPIPE, SIG_IGN)
        // One thread serves all connections, so that a connection and its connection to the daemon share a thread.
        let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
        CloseOnExec.setPolls()
        let server = try GatewayServer(
            configuration.gateway,
            daemon: daemonPath(configuration, environment),
            directory: directoryPath(environment),
            files: PageFolder(directory: page?.path),
            service: service,
            loop: loop,
            logger: logger
        )
        // A gateway without clients ends by itself.
        var services: [ServiceGroupConfiguration.ServiceConfiguration] = [
            .init(service: server, successTerminationBehavior: .gracefullyShutdownGroup, serviceName: "server")
        ]
        if let timeout = service.watchdogTimeout {
            let probe = WatchdogProbe("event loop") { loop.execute($0) }
            let watchdog = Watchdog(timeout: timeout, probes: [probe], notifier: server.notifier, logger: logger)
            services.append(.init(service: watchdog, serviceName: "watchdog"))
        }
        let signals: [UnixSignal] = [.sigterm, .sigint]
        try await ServiceGroup(
            configuration: .init(services: services, gracefulShutdownSignals: signals, logger: logger)
        ).run()
    }

    private func daemonPath(_ configuration: DaemonConfiguration, _ environment: [String: String]) -> String {
        if let socket { return socket.path }
        let standard = SocketPath.standard(environment: environment, uid: geteuid())
        let isUnset = environment[SocketPath.variable]?.isEmpty ?? true
        return isUnset ? configuration.socket.path?.rawValue ?? standard : standard
    }

    private func directoryPath(_ environment: [String: String]) -> String {
        if let runtimeDirectory { return runtimeDirectory.path }
        if let given = environment["RUNTIME_DIRECTORY"], !given.isEmpty { return given }
        return SocketPath.runtimeDirectory(of: ViewModelGateway.name, environment: environment, uid: geteuid())
    }
}

import Glibc
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Systemd
import UnixIO
import UnixSignals
import ViewModelConfiguration
import ViewModelHost
import ViewModelProtocol
import ViewModelServer

/// A run of the gateway after its configuration was loaded: it creates the services and runs them in one group.
struct GatewayRun {
    let configuration: DaemonConfiguration
    /// The path of the daemon's socket.
    let daemon: String
    /// The directory of the token and of the control socket.
    let directory: String
    let files: PageFolder
    let service: ServiceEnvironment
    let logger: Logger

    /// Refuses a directory in which other users can replace the token or the control socket.
    private func checkDirectory() throws(GatewayExit) {
        var status = stat()
        guard stat(directory.cPath, &status) == 0, status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else {
            throw GatewayExit("other users can write to \(directory); choose another one with --runtime-directory")
        }
    }

    /// The descriptors that the gateway needs besides those of its connections.
    private static let ownDescriptors = 32

    /// Returns the keys of `gateway`, with no more connections than the limit of descriptors allows.
    ///
    /// Without a descriptor the gateway could not accept a connection and drop one without a token for it.
    private func fittingConfiguration() -> DaemonConfiguration.Gateway {
        var gateway = configuration.gateway
        // A connection of a client has one to the daemon.
        let most = max(1, (DescriptorLimit.raise() - Self.ownDescriptors) / 2)
        guard most < gateway.limits.connections else { return gateway }
        logger.notice(
            "The limit of open files is too low for gateway.limits.connections. Raise it (LimitNOFILE=, ulimit -Hn)",
            metadata: ["connections": "\(most)", "configured": "\(gateway.limits.connections)"]
        )
        gateway.limits.connections = most
        return gateway
    }

    /// Runs until the gateway is asked to stop.
    func run() async throws {
        // A write to a log whose reader has gone must not end the process.
        signal(SIGPIPE, SIG_IGN)
        if let excess = LocalAddress.excess(of: daemon) {
            throw GatewayExit("\(excess): \(daemon); choose a shorter one with --socket")
        }
        let gateway = fittingConfiguration()
        do {
            try PrivateDirectory.make(directory)
        } catch {
            throw GatewayExit("\(error); choose another directory with --runtime-directory")
        }
        try checkDirectory()
        let cookieSecret = directory + "/cookie-secret"
        let tokens = AccessTokens(
            bearer: try TokenFile.token(at: directory + "/token"),
            cookieSecret: try TokenFile.token(at: cookieSecret),
            bearerScope: gateway.control ? .act : .observe,
            cookieSeconds: gateway.cookieSeconds
        )
        let sockets = try GatewaySockets(
            gateway,
            directory: directory,
            inherited: try service.listeningSockets(allowsNetwork: true)
        )
        let notifier = service.makeNotifier()
        // One thread serves all connections, so that a connection and its connection to the daemon share a thread.
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        CloseOnExec.setPolls()
        let server = GatewayServer(
            loop: group.next(),
            configuration: gateway,
            daemon: daemon,
            files: files,
            tokens: tokens,
            cookieSecret: cookieSecret,
            sockets: sockets,
            notifier: notifier,
            logger: logger
        )
        var services = [
            ServiceGroupConfiguration.ServiceConfiguration(
                service: server,
                // A gateway without clients ends by itself.
                successTerminationBehavior: .gracefullyShutdownGroup,
                serviceName: "server"
            )
        ]
        if let timeout = service.watchdogTimeout {
            let probe = WatchdogProbe("event loop") { [loop = group.next()] answer in loop.execute(answer) }
            let watchdog = Watchdog(timeout: timeout, probes: [probe], notifier: notifier, logger: logger)
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

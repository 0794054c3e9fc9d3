import Glibc
import Logging
import NIOCore
import Systemd
import UnixIO
import ViewModelConfiguration
import ViewModelHost
import ViewModelProtocol
import ViewModelServer

extension GatewayServer {
    /// The descriptors that the gateway needs besides those of its connections.
    private static let ownDescriptors = 32

    /// Makes the tokens and the sockets of a gateway.
    ///
    /// `daemon` is the path of the daemon's socket, and `directory` that of the tokens and of the control socket.
    ///
    /// - Throws: ``GatewayExit`` or `SocketError`, which name the remedy.
    init(
        _ configuration: DaemonConfiguration.Gateway,
        daemon: String,
        directory: String,
        files: PageFolder,
        service: ServiceEnvironment,
        loop: any EventLoop,
        logger: Logger
    ) throws {
        if let excess = LocalAddress.excess(of: daemon) {
            throw GatewayExit("\(excess): \(daemon); choose a shorter one with --socket")
        }
        self.configuration = Self.fitting(configuration, logger)
        do {
            try PrivateDirectory.make(directory)
        } catch {
            throw GatewayExit("\(error); choose another directory with --runtime-directory")
        }
        // Other users could replace the token or the control socket.
        guard let status = stat(of: directory), status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else {
            throw GatewayExit("other users can write to \(directory); choose another one with --runtime-directory")
        }
        cookieSecret = directory + "/cookie-secret"
        tokens = AccessTokens(
            bearer: try TokenFile.token(at: directory + "/token"),
            cookieSecret: try TokenFile.token(at: cookieSecret),
            bearerScope: configuration.control ? .act : .observe,
            cookieSeconds: configuration.cookieSeconds
        )
        let inherited = try service.listeningSockets(allowsNetwork: true)
        sockets = try GatewaySockets(configuration, directory: directory, inherited: inherited)
        let page = GatewayAddresses(proxied: configuration).page
        team = try TeamSettings(configuration, page: page, ownSecret: TokenFile.token(at: cookieSecret))
        notifier = service.makeNotifier()
        (self.daemon, self.files, self.loop, self.logger) = (daemon, files, loop, logger)
    }

    /// Returns the keys of `gateway`, with no more connections than the limit of descriptors allows.
    ///
    /// Without a descriptor the gateway could not accept a connection and drop one without a token for it.
    private static func fitting(
        _ configuration: DaemonConfiguration.Gateway,
        _ logger: Logger
    ) -> DaemonConfiguration.Gateway {
        var gateway = configuration
        // A connection of a client has one to the daemon.
        let most = max(1, (DescriptorLimit.raise() - ownDescriptors) / 2)
        guard most < gateway.limits.connections else { return gateway }
        logger.notice(
            "The limit of open files is too low for gateway.limits.connections. Raise it (LimitNOFILE=, ulimit -Hn)",
            metadata: ["connections": "\(most)", "configured": "\(gateway.limits.connections)"]
        )
        gateway.limits.connections = most
        return gateway
    }
}

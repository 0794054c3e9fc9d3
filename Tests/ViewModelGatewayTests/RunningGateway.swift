import Logging
import NIOCore
import NIOPosix
import Systemd
import TestSupport
import ViewModelConfiguration

@testable import ViewModelGateway

/// A gateway on a socket for a proxy with the host `page.example`, before no daemon.
struct RunningGateway {
    let server: GatewayServer
    /// The path of the socket.
    let path: String

    /// Runs a test, which closes its connections, and then waits for the end of the gateway without them.
    static func run(
        configure: (inout DaemonConfiguration.Gateway) -> Void = { _ in },
        _ test: (RunningGateway) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/clients.sock"
        var configuration = DaemonConfiguration().gateway
        configuration.listen = ListenAddress(rawValue: path) ?? configuration.listen
        configuration.hosts = "page.example"
        configure(&configuration)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let server = try GatewayServer(
            configuration,
            daemon: directory.path + "/none",
            directory: directory.path,
            files: PageFolder(),
            service: ServiceEnvironment.consume(),
            loop: group.next(),
            logger: Logger(label: "test")
        )
        async let run: Void = server.run()
        try await RawConnection.waitUntilListening(path)
        try await test(RunningGateway(server: server, path: path))
        server.idle.continuation.yield()
        try await run
        try await group.shutdownGracefully()
    }

    /// Sends bytes, and returns all that comes until the gateway closes.
    func exchange(_ text: String) throws -> String {
        let connection = try RawConnection(path)
        connection.send(text)
        return try connection.rest()
    }
}

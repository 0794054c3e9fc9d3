import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Systemd
import TestSupport
import Testing
import ViewModelConfiguration
import ViewModelProtocol

@testable import ViewModelGateway

/// The life of a gateway that listens.
@Suite(.timeLimit(.minutes(5))) struct GatewayServerTests {
    @Test func `a client that connects while the idle time ends is served, and the gateway ends after it`() async throws
    {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/clients.sock"
        var configuration = DaemonConfiguration().gateway
        configuration.listen = try #require(ListenAddress(rawValue: path))
        configuration.hosts = "page.example"
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
        let request = "GET /session HTTP/1.1\r\nHost: page.example\r\n\r\n"
        var waiting: RawConnection? = try RawConnection(path)
        // The gateway has accepted the first one when it answers the second one.
        var second: RawConnection? = try RawConnection(path)
        second?.send(request)
        #expect(try second?.line() == "HTTP/1.1 401 Unauthorized\r")
        server.idle.continuation.yield()
        var late: RawConnection? = try RawConnection(path)
        late?.send(request)
        #expect(try late?.line() == "HTTP/1.1 401 Unauthorized\r")
        waiting?.send(request)
        #expect(try waiting?.line() == "HTTP/1.1 401 Unauthorized\r")
        (waiting, second, late) = (nil, nil, nil)
        server.idle.continuation.yield()
        try await run
        try await group.shutdownGracefully()
    }
}

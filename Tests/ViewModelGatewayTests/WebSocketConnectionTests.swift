import Glibc
import Logging
import NIOCore
import Systemd
import TestSupport
import Testing
import ViewModelConfiguration
import ViewModelProtocol

@testable import ViewModelGateway

/// A WebSocket connection and its connection to the daemon, which here is a socket that only accepts.
@Suite(.timeLimit(.minutes(5))) struct WebSocketConnectionTests {
    @Test func `a handler that goes without a closed channel ends its connection to the daemon`() async throws {
        let daemon = PassedSocket()
        let directory = try TemporaryDirectory()
        var configuration = DaemonConfiguration().gateway
        configuration.listen = try #require(ListenAddress(rawValue: directory.path + "/clients.sock"))
        try await ConnectedChannel.run { connection in
            let channel = connection.channel
            let server = try GatewayServer(
                configuration,
                daemon: daemon.path,
                directory: directory.path,
                files: PageFolder(),
                service: ServiceEnvironment.consume(),
                loop: channel.eventLoop,
                logger: Logger(label: "test")
            )
            defer { server.sockets.remove() }
            let socket = try await channel.eventLoop.submit {
                let socket = WebSocketConnection(Gateway(server), 1, SetupRequests(scope: .observe), isPlain: true)
                try channel.pipeline.syncOperations.addHandler(socket)
                socket.open()
                return NIOLoopBound(socket, eventLoop: channel.eventLoop)
            }.get()
            let accepted = accept(daemon.descriptor, nil, nil)
            #expect(accepted >= 0)
            defer { close(accepted) }
            var byte: UInt8 = 0
            // The first byte of the set-up requests.
            #expect(recv(accepted, &byte, 1, 0) == 1)
            try await channel.eventLoop.submit {
                let context = try channel.pipeline.syncOperations.context(handler: socket.value)
                socket.value.handlerRemoved(context: context)
            }.get()
            while recv(accepted, &byte, 1, 0) > 0 {}
            #expect(recv(accepted, &byte, 1, 0) == 0)
        }
    }

    @Test func `a socket that cannot listen ends the start`() {
        #expect(throws: GatewayExit.self) { try GatewayServer.lengthenQueue(of: -1) }
    }
}

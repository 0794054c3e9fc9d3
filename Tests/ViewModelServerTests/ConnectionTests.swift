import Foundation
import JSONRPC
import Logging
import NIOCore
import NIOPosix
import TestSupport
import Testing
import ViewModelKit
import ViewModelProtocol
import ViewModelTesting

@testable import ViewModelHost
@testable import ViewModelServer

/// Connections on real sockets, which have more bytes than one read or one write takes.
@Suite(.timeLimit(.minutes(5))) struct ConnectionTests {
    private static func ping(_ id: Int) -> String { #"{"jsonrpc":"2.0","id":\#(id),"method":"viewModel.list"}"# }

    /// What a client sends before it closes its input, and a part of what it receives.
    private static let lastWords: [(sent: String, expected: String)] = [
        (ping(1), #"{"jsonrpc":"2.0","id":1,"result""#),
        ("{} {}\n\n\(ping(2))", "-32700"),
        ("Content-Length: \(ping(1).utf8.count)\r\n\r\n\(ping(1))", "Content-Length: "),
        ("Content-Length: many\r\n\r\n\(ping(1))", "-32700"),
        ("\(String(repeating: "x", count: 200_000))\n\(ping(2))", #""limit":1024"#),
        ("\(String(repeating: "x", count: 200_000))\n\(ping(2))", #"{"jsonrpc":"2.0","id":2,"result""#),
    ]

    @Test(arguments: lastWords)
    func `a client that sends this and closes its input gets the reply, and then the end`(
        sent: String,
        expected: String
    ) async throws {
        try await withClients({ $0.messageBytes = 1024 }) { socket in
            let client = try RawConnection(socket)
            client.send(sent)
            client.shutdownWriting()
            let received = try client.rest()
            #expect(received.contains(expected), "\(received)")
        }
    }

    @Test(arguments: [1 << 10, 64 << 10, 8 << 20])
    func `a client that sends much before it reads gets all replies in order`(bufferBytes: Int) async throws {
        try await withClients({ ($0.bufferBytes, $0.stallSeconds) = (bufferBytes, 86_400) }) { socket in
            let client = try RawConnection(socket)
            client.send((0..<200).map { Self.ping($0) + "\n" }.joined())
            for id in 0..<200 { #expect(try client.message()["id"]?.intValue == id) }
        }
    }

    @Test func `a client that reads late gets each byte once`() async throws {
        try await withClients { socket in
            let client = try RawConnection(socket)
            let ids = 0..<RawConnection.manyReplies
            client.send(ids.map { #"{"jsonrpc":"2.0","id":\#($0),"method":"rpc.discover"}"# + "\n" }.joined())
            // The replies to another connection of the same loop come after those that fill the first one's buffers.
            let other = try RawConnection(socket)
            #expect(try other.call("viewModel.list")["result"] != nil)
            for id in ids { #expect(try client.message()["id"]?.intValue == id) }
        }
    }

    @Test func `a client that reads no replies is disconnected after the limit`() async throws {
        let log = LogRecorder(from: .warning)
        try await withClients({ ($0.bufferBytes, $0.stallSeconds) = (1024, 1) }, logger: log.logger) { socket in
            let client = try RawConnection(socket)
            for id in 0..<RawConnection.manyReplies {
                client.sendLine(#"{"jsonrpc":"2.0","id":\#(id),"method":"rpc.discover"}"#)
            }
            client.waitUntilClosed()
            #expect(log.entries.map(\.message) == ["Closed a connection whose client does not read"])
        }
    }

    @Test func `the largest connection of a user above the limit is closed`() async throws {
        let log = LogRecorder(from: .warning)
        try await withClients({ $0.bytesPerUser = (1 << 20) + 1 }, logger: log.logger) { socket in
            let small = try RawConnection(socket)
            let large = try RawConnection(socket)
            // Lines without an end, which the server holds.
            small.send(String(repeating: "s", count: 400_000))
            large.send(String(repeating: "l", count: 800_000))
            large.waitUntilClosed()
            small.send("\n")
            #expect(try small.message()["error"]?["code"] == -32700)
            #expect(log.entries.map(\.message) == ["Closed the connection of a user that holds too much"])
        }
    }

    /// Returns a listener without sockets, which opens the connections that a test gives it.
    private func listener(_ configuration: HostConfiguration, _ loop: EventLoopSessionLoop) throws -> Listener {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let host = Host(
            catalog: ViewModelCatalog(),
            configuration: configuration,
            name: "test",
            version: "1",
            logger: logger,
            storage: { StorageHealth(path: "/", bytes: 0, healthy: true) }
        )
        return Listener(
            sockets: [],
            wakeup: try AcceptWakeup(),
            host: host,
            loops: [loop],
            registry: ConnectionRegistry(counters: host.counters, present: host.present)
        )
    }

    @Test func `users above the limit at the same time each lose a connection`() async throws {
        var configuration = HostConfiguration()
        configuration.limits.bytesPerUser = (1 << 20) + 1
        configuration.access.rules = [1, 2].map { AccessRule(principal: .user($0), scope: .act) }
        let limits = configuration.limits
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let eventLoop = group.any()
        let loop = try await eventLoop.submit { EventLoopSessionLoop(eventLoop) { limits } }.get()
        let listener = try listener(configuration, loop)
        let clients = [1, 2].map { (uid: UInt32) -> RawConnection in
            var ends: [Int32] = [0, 0]
            socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
            listener.open(.init(descriptor: ends[0], credentials: .init(pid: 1, uid: uid, groups: []), grant: .act))
            return RawConnection(descriptor: ends[1])
        }
        for client in clients {
            // The server holds the beginning of a second line.
            client.send(Self.ping(1) + "\n{")
            #expect(try client.message()["id"] == 1)
        }
        try await eventLoop.submit {
            for uid: UInt32 in [1, 2] { loop.count(heldBytes: 2 << 20, of: uid) }
        }.get()
        for client in clients { #expect(try client.line() == nil) }
        try await group.shutdownGracefully()
    }

    @Test func `a server leaves the state directory locked when it stops`() async throws {
        let folder = try TemporaryDirectory()
        let state = try StateDirectory(folder.path)
        try await withServer(state: state) { _ in }
        #expect(throws: SocketError.self) { _ = try StateDirectory(folder.path) }
        state.release()
        try StateDirectory(folder.path).release()
    }

    @Test func `a connection above the limit is refused, and admitted after another has ended`() async throws {
        let log = LogRecorder(from: .notice)
        try await withClients({ $0.connectionsPerUser = 1 }, logger: log.logger) { socket in
            do {
                let first = try RawConnection(socket)
                #expect(try first.call("viewModel.list")["result"] != nil)
                let refused = try RawConnection(socket)
                #expect(try refused.message()["error"]?["data"]?["limit"] == "limits.connectionsPerUser")
                #expect(try refused.line() == nil)
            }
            // The server may learn of the end after it has accepted the next connection.
            while true {
                let next = try RawConnection(socket)
                if try next.call("viewModel.list")["result"] != nil { break }
            }
            #expect(log.entries.first?.metadata["limit"] == "limits.connectionsPerUser")
        }
    }

    /// Runs a server, and clients that block a thread of their own.
    private func withClients(
        _ limit: (inout HostConfiguration.Limits) -> Void = { _ in },
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        _ body: @escaping @Sendable (String) throws -> Void
    ) async throws {
        var configuration = HostConfiguration()
        limit(&configuration.limits)
        try await withServer(configuration: configuration, logger: logger) { socket in
            try await onThread { try body(socket) }
        }
    }
}

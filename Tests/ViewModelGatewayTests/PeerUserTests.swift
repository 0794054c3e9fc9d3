import NIOCore
import NIOPosix
import Testing

@testable import ViewModelGateway

/// The user at the other end of a loopback connection.
///
/// `Tests/BlackBox` has connections of other users.
@Suite struct PeerUserTests {
    @Test(arguments: ["127.0.0.1", "::1"])
    func `this process is no other user, and an end that nobody holds is one`(host: String) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        // A server that does not read keeps its end, however long the test waits.
        let listener = try await ServerBootstrap(group: group).childChannelOption(.autoRead, value: false)
            .bind(host: host, port: 0).get()
        let address = try #require(listener.localAddress)
        let client = try await ClientBootstrap(group: group).connect(to: address).get()
        let own = try #require(client.localAddress)
        #expect(!PeerUser.isForeign(own, to: address))
        #expect(!PeerUser.isForeign(address, to: own))
        try await client.close()
        #expect(PeerUser.isForeign(own, to: address))
        try await listener.close()
        try await group.shutdownGracefully()
    }

    @Test func `without an answer of the kernel there is no other user`() throws {
        let first = try SocketAddress(ipAddress: "127.0.0.1", port: 1)
        let second = try SocketAddress(ipAddress: "127.0.0.1", port: 2)
        #expect(!PeerUser.isForeign(first, to: second))
    }
}

import Glibc
import NIOCore
import NIOPosix
import TestSupport

/// A channel on an event loop of its own, and the socket of its peer.
struct ConnectedChannel {
    let channel: any Channel
    /// The peer's descriptor, which the test closes.
    let peer: Int32

    /// Runs a test with a channel that is connected to a socket, and closes both.
    static func run(_ test: (ConnectedChannel) async throws -> Void) async throws {
        var pair: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else {
            throw RawConnection.Failure(what: "socketpair: \(errno)")
        }
        defer { close(pair[1]) }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let channel = try await ClientBootstrap(group: group).withConnectedSocket(pair[0]).get()
        let result: Result<Void, any Error>
        do {
            result = .success(try await test(ConnectedChannel(channel: channel, peer: pair[1])))
        } catch {
            result = .failure(error)
        }
        try? await channel.close()
        try await group.shutdownGracefully()
        try result.get()
    }

    /// Reads this number of bytes on the peer's side, or fewer if the channel closes before.
    ///
    /// The call blocks.
    func read(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count < count {
            let length = recv(peer, &buffer, min(buffer.count, count - bytes.count), 0)
            guard length > 0 else { break }
            bytes += buffer[..<length]
        }
        return bytes
    }
}

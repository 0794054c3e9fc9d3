import JSONRPC
import NIOCore

/// Cuts what comes from the socket into lines and hands them to the client, on whose event loop it runs.
final class LineHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// A daemon's reply may be as long as what it tells.
    private static let longestLine = 1 << 40

    private let client: ViewModelClient
    private let generation: Int
    private var framing = MessageFraming(maximumMessageBytes: longestLine)

    init(client: ViewModelClient, generation: Int) {
        self.client = client
        self.generation = generation
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let (client, generation) = (client, generation)
        unwrapInboundIn(data).withUnsafeReadableBytes { bytes in
            _ = framing.consume(bytes) { event in
                if case .message(let message) = event {
                    let line = Array(message)
                    client.assumeIsolated { $0.received(line, generation) }
                }
                return .proceed
            }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        let generation = generation
        client.assumeIsolated { $0.disconnected(generation) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}

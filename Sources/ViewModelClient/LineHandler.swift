import JSONRPC
import NIOCore

/// The channel handler that splits the input into lines and passes them to the client, on the client's event loop.
final class LineHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// The length limit of a line.
    ///
    /// It is practically unlimited, because a reply may be of any length.
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

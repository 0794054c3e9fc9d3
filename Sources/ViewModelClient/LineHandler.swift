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
    /// The lines that the client has not received yet.
    private var lines: [[UInt8]] = []
    private var isInactive = false
    private var isDelivering = false

    init(client: ViewModelClient, generation: Int) {
        self.client = client
        self.generation = generation
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let generation = generation
        client.assumeIsolated { $0.heard(generation) }
        unwrapInboundIn(data).withUnsafeReadableBytes { bytes in
            _ = framing.consume(bytes) { event in
                if case .message(let message) = event { lines.append(Array(message)) }
                return .proceed
            }
        }
        deliver()
    }

    func channelInactive(context: ChannelHandlerContext) {
        isInactive = true
        deliver()
    }

    /// Passes the lines to the client, and after them the end of the connection.
    ///
    /// A line can make the client write. If that fails, NIO reads what is left and closes the channel before the write
    /// returns, and so calls this handler again.
    private func deliver() {
        if isDelivering { return }
        isDelivering = true
        defer { isDelivering = false }
        let (client, generation) = (client, generation)
        while !lines.isEmpty {
            let ready = lines
            lines = []
            for line in ready { client.assumeIsolated { $0.received(line, generation) } }
        }
        if isInactive { client.assumeIsolated { $0.disconnected(generation) } }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}

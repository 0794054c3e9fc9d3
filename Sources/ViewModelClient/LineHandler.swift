import JSONRPC
package import NIOCore

/// The channel handler that splits the input into lines and passes them on, on the channel's event loop.
package final class LineHandler: ChannelInboundHandler {
    package typealias InboundIn = ByteBuffer

    /// The length limit of a line.
    ///
    /// It is practically unlimited, because a reply may be of any length.
    private static let longestLine = 1 << 40

    private let received: ([UInt8]) -> Void
    private let heard: () -> Void
    private let ended: () -> Void
    private var framing = MessageFraming(maximumMessageBytes: longestLine)
    /// The lines that were not passed on yet.
    private var lines: [[UInt8]] = []
    private var isInactive = false
    private var isDelivering = false

    /// Creates a handler, which calls `heard` for each piece of input, and `ended` after the last line.
    package init(
        received: @escaping ([UInt8]) -> Void,
        heard: @escaping () -> Void = {},
        ended: @escaping () -> Void = {}
    ) {
        self.received = received
        self.heard = heard
        self.ended = ended
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        heard()
        unwrapInboundIn(data).withUnsafeReadableBytes { bytes in
            _ = framing.consume(bytes) { event in
                if case .message(let message) = event { lines.append(Array(message)) }
                return .proceed
            }
        }
        deliver()
    }

    package func channelInactive(context: ChannelHandlerContext) {
        isInactive = true
        deliver()
    }

    /// Passes the lines on, and after them the end of the connection.
    ///
    /// A line can make the client write. If that fails, NIO reads what is left and closes the channel before the write
    /// returns, and so calls this handler again.
    private func deliver() {
        if isDelivering { return }
        isDelivering = true
        defer { isDelivering = false }
        while !lines.isEmpty {
            let ready = lines
            lines = []
            for line in ready { received(line) }
        }
        if isInactive { ended() }
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}

import Logging
import NIOCore
import ViewModelConfiguration
import ViewModelProtocol

/// A WebSocket connection of a client, with its connection to the daemon.
///
/// Each side is read only while the other one accepts bytes, so that a slow side holds back the fast one and the gateway
/// keeps at most one unfinished message.
///
/// Isolation: confined to the gateway's event loop.
final class WebSocketConnection: ChannelDuplexHandler, GatewayConnection, DaemonLinkOwner {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The pings without an answer after which a client has gone.
    private static let mostMissedPings = 2

    private let gateway: Gateway
    private let key: GatewayConnections.Key
    private let setup: SetupRequests
    /// Whether the bytes are not encrypted.
    private let isPlain: Bool
    @exclusivity(unchecked) private var context: ChannelHandlerContext?
    @exclusivity(unchecked) private var link: DaemonLink?
    @exclusivity(unchecked) private var reader: WebSocketReader
    /// Frames that are not sent yet: those of one read of the daemon's socket.
    @exclusivity(unchecked) private var output: ChannelOutput?
    /// The payload of the last ping, while the client does not read.
    private var pendingPong: ByteBuffer?
    @exclusivity(unchecked) private var missedPings = 0
    private var progress = ReaderProgress()
    @exclusivity(unchecked) private var hasDeferredRead = false
    @exclusivity(unchecked) private var isClosing = false

    init(_ gateway: Gateway, _ key: GatewayConnections.Key, _ setup: SetupRequests, isPlain: Bool) {
        self.isPlain = isPlain
        self.gateway = gateway
        self.key = key
        self.setup = setup
        reader = WebSocketReader(maximumMessageBytes: gateway.server.configuration.limits.messageBytes)
    }

    // MARK: Channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        // A channel that was closed before the handler came does not call `channelInactive`.
        end()
        self.context = nil
    }

    /// Connects to the daemon.
    ///
    /// Call it once the encoder of HTTP is removed.
    func open() {
        guard let context else { return }
        output = ChannelOutput(context, isPlain: isPlain, buffer: gateway.buffer)
        link = DaemonLink.open(gateway, setup, relaysParts: true, owner: self)
    }

    func read(context: ChannelHandlerContext) {
        if isClosing || link?.isWritable ?? false {
            context.read()
        } else {
            hasDeferredRead = true
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isClosing else { return }
        missedPings = 0
        var chunk = unwrapInboundIn(data)
        while !isClosing {
            if let link, link.moveMessage(from: &chunk, by: &reader) { continue }
            guard let event = reader.next(&chunk) else { break }
            switch event {
            case .message(let message): link?.send(message)
            case .ping(let payload): pendingPong = payload
            case .pong: break
            case .close(let code): close(code)
            }
        }
        writePong()
        link?.flush()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            writePong()
            link?.resume()
        }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    /// Closes the connection to the daemon after the client's has ended.
    private func end() {
        isClosing = true
        output = nil
        link?.close()
        link = nil
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func writePong() {
        guard let payload = pendingPong, let output, let context, !isClosing, context.channel.isWritable else { return }
        pendingPong = nil
        output.begin()
        output.bytes.writeFrameHead(.pong, length: payload.readableBytes)
        output.bytes.writeImmutableBuffer(payload)
        output.flush()
    }

    /// Sends a closing frame and ends both connections.
    private func close(_ code: CloseCode?, reason: String = "") {
        guard !isClosing, let context else { return }
        output?.bytes.writeCloseFrame(code, reason: reason)
        output?.flush()
        isClosing = true
        // What the client has sent before its closing frame is still relayed.
        link?.close()
        link = nil
        // The client closes first, so that no unread byte resets the connection before it has read the frame.
        context.close(mode: .output, promise: nil)
        if hasDeferredRead { context.read() }
        context.eventLoop.assumeIsolated().scheduleTask(in: Gateway.lingerTime) { [weak self] in self?.drop() }
    }

    // MARK: DaemonLinkOwner

    var acceptsBytes: Bool { !isClosing && context?.channel.isWritable ?? false }

    func linkOpened(lastReply: ByteBuffer) {
        linkWritabilityChanged()
    }

    func linkReceived(_ part: ByteBuffer, isFirst: Bool, isLast: Bool) {
        // A long message is a fragmented one, so that a ping or a closing frame may come in between.
        guard let output else { return }
        output.begin()
        output.bytes.writeFrameHead(isFirst ? .text : .continuation, isFinal: isLast, length: part.readableBytes)
        output.bytes.writeImmutableBuffer(part)
    }

    func linkReceivedAll() {
        output?.flush()
    }

    func linkWritabilityChanged() {
        guard hasDeferredRead, link?.isWritable ?? false else { return }
        hasDeferredRead = false
        context?.read()
    }

    func linkEnded(_ end: DaemonLink.End) {
        gateway.logLost(end)
        output?.flush()
        // The inspector says which socket it waits for. The people of a team know no sockets.
        let reason =
            switch end {
            case .lost where gateway.team == nil: "No daemon at \(gateway.server.daemon)"
            case .turnedAway(let reason) where gateway.team == nil: reason
            default: ""
            }
        close(.tryAgainLater, reason: reason)
    }

    // MARK: GatewayConnection

    func tick() {
        guard let context, !isClosing else { return }
        // While the daemon is slow, the answers of the client are not read.
        guard !hasDeferredRead else { return }
        // A client cannot answer a ping that it has not got yet.
        if progress.advances(context) { missedPings = 0 }
        guard missedPings < Self.mostMissedPings else {
            gateway.server.logger.info("A client does not answer", metadata: ["connection": "\(key)"])
            return drop()
        }
        missedPings += 1
        guard context.channel.isWritable else { return }
        output?.bytes.writeFrameHead(.ping, length: 0)
        output?.flush()
    }

    func stop() {
        close(.goingAway)
    }

    func drop() {
        context?.close(promise: nil)
    }
}

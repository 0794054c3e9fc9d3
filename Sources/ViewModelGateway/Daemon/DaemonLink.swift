import NIOCore
import NIOPosix
import UnixIO
import ViewModelClient
import ViewModelConfiguration
import ViewModelProtocol

/// The browser's side of a connection to the daemon.
///
/// Isolation: confined to the gateway's event loop.
protocol DaemonLinkOwner: AnyObject {
    /// Whether the owner accepts more bytes of the daemon. ``DaemonLink/resume()`` follows a false.
    var acceptsBytes: Bool { get }
    /// The daemon has answered all set-up requests.
    func linkOpened(lastReply: ByteBuffer)
    /// The daemon has sent a part of a message, on a link that relays parts.
    func linkReceived(_ part: ByteBuffer, isFirst: Bool, isLast: Bool)
    /// The daemon has sent a message, on any other link.
    func linkReceived(_ message: ByteBuffer)
    /// The daemon has sent all that it had for now.
    func linkReceivedAll()
    /// The daemon accepts more bytes, or no more.
    func linkWritabilityChanged()
    /// The connection has ended, or never began. It is called once.
    func linkEnded(_ end: DaemonLink.End)
}

extension DaemonLinkOwner {
    func linkReceived(_ part: ByteBuffer, isFirst: Bool, isLast: Bool) {}
    func linkReceived(_ message: ByteBuffer) {}
    func linkReceivedAll() {}
    func linkWritabilityChanged() {}
}

/// A connection to the daemon's socket for one client of the gateway.
///
/// It reads only while its owner accepts bytes. What it does not read stays in the socket, and the daemon's own rules
/// for slow clients apply.
final class DaemonLink: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The reason why a link ended.
    enum End: Equatable {
        /// The daemon closed the connection after its last message.
        case closed
        /// The daemon cannot be reached, or went away in a message.
        case lost(String)
        /// The daemon refused the connection, for its access or for a limit.
        case turnedAway(String)
        /// A message that is put together is longer than `gateway.limits.replyBytes`.
        case tooLong
        /// The daemon answered the first set-up request with an error.
        case denied(String)
        /// The daemon answered a later set-up request with an error.
        case refused(ByteBuffer)
    }

    private let eventLoop: any EventLoop
    private let buffer: ReusableBuffer
    /// The owner, until the end of the link or ``close()``.
    @exclusivity(unchecked) private var owner: (any DaemonLinkOwner)?
    private var setup: ArraySlice<ByteBuffer>
    /// The client's messages that came before the daemon answered the set-up requests: those of one read, and at the end
    /// of the client those that the kernel held.
    private var waiting: [ByteBuffer] = []
    private let relaysParts: Bool
    private let maximumBytes: Int
    /// The received part of a message that is put together.
    private var message: ByteBuffer?
    @exclusivity(unchecked) private var reader = DaemonReader()
    @exclusivity(unchecked) private var context: ChannelHandlerContext?
    @exclusivity(unchecked) private var output: ChannelOutput?
    @exclusivity(unchecked) private var hasDeferredRead = false
    @exclusivity(unchecked) private var isClosed = false
    /// Whether the daemon has answered the set-up requests, so that messages of the client may follow.
    @exclusivity(unchecked) private(set) var isOpen = false

    private init(_ gateway: Gateway, _ setup: SetupRequests, relaysParts: Bool, owner: any DaemonLinkOwner) {
        eventLoop = gateway.eventLoop
        buffer = gateway.buffer
        self.setup = setup.requests[...]
        self.relaysParts = relaysParts
        self.owner = owner
        // The picture of a binding may be long.
        maximumBytes = gateway.server.configuration.limits.replyBytes
    }

    /// Connects to the daemon and sends the set-up requests.
    ///
    /// - Returns: The link at once; it calls its owner once the daemon has answered.
    static func open(
        _ gateway: Gateway,
        _ setup: SetupRequests,
        relaysParts: Bool = false,
        owner: any DaemonLinkOwner
    ) -> DaemonLink {
        let loop = gateway.eventLoop
        let link = DaemonLink(gateway, setup, relaysParts: relaysParts, owner: owner)
        let bound = NIOLoopBound(link, eventLoop: loop)
        let bootstrap = ClientBootstrap(group: loop)
            .channelOption(.maxMessagesPerRead, value: 1)
            // A client that half-closes still gets its replies.
            .channelOption(.allowRemoteHalfClosure, value: false)
            .channelOption(.recvAllocator, value: Gateway.receiveAllocator)
            .channelOption(.writeBufferWaterMark, value: Gateway.waterMark)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(bound.value)
                }
            }
        let fail = { @Sendable (error: any Error) in
            // A connection to a missing socket fails at once, and the owner is not ready for the call yet.
            loop.assumeIsolated().execute { bound.value.end(.lost(ClientError.reason(of: error))) }
        }
        do {
            bootstrap.withConnectedSocket(try LocalSocket.connect(to: gateway.server.daemon)).whenFailure(fail)
            gateway.daemonAccepted()
        } catch {
            fail(error)
        }
        return link
    }

    /// Gives the link to another owner, with further set-up requests.
    ///
    /// Without any, an open link does not call ``DaemonLinkOwner/linkOpened(lastReply:)``.
    func hand(over requests: ArraySlice<ByteBuffer>, to owner: any DaemonLinkOwner) {
        self.owner = owner
        setup += requests
        guard isOpen, !requests.isEmpty else { return }
        isOpen = false
        sendNextRequest()
    }

    /// Whether the daemon accepts more bytes.
    var isWritable: Bool { isOpen && context?.channel.isWritable ?? false }

    /// Sends a message of the client, after the daemon has answered the set-up requests.
    func send(_ message: ByteBuffer) {
        if isOpen { write(message) } else { waiting.append(message) }
    }

    private func write(_ message: ByteBuffer) {
        guard let output else { return }
        output.begin()
        output.bytes.writeDaemonMessage(message)
    }

    /// Moves the next message of the client, as ``WebSocketReader/moveMessage(from:to:)`` does.
    ///
    /// - Returns: false if the link is not open, or the message has not arrived as a whole.
    func moveMessage(from chunk: inout ByteBuffer, by reader: inout WebSocketReader) -> Bool {
        guard isOpen, let output else { return false }
        output.begin()
        return reader.moveMessage(from: &chunk, to: &output.bytes)
    }

    /// Sends what was written.
    func flush() {
        output?.flush()
    }

    /// Ends the client's side.
    ///
    /// The daemon sends the replies that are due and closes.
    func finishSending() {
        context?.close(mode: .output, promise: nil)
    }

    /// Reads on after the owner accepts bytes again.
    func resume() {
        guard hasDeferredRead else { return }
        hasDeferredRead = false
        context?.read()
    }

    /// Closes the connection without a call of the owner, once the daemon has received what the client sent.
    func close() {
        owner = nil
        guard !isClosed, isOpen || !waiting.isEmpty else { return drop() }
        // The daemon may wait for a reader of its replies before it reads on.
        resume()
        if isOpen { closeAfterWrites() }
        guard !isClosed else { return }
        eventLoop.assumeIsolated().scheduleTask(in: Gateway.replyTime) { [weak self] in self?.drop() }
    }

    private func closeAfterWrites() {
        flush()
        guard let context, output?.isSent == false else { return drop() }
        let written = eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { [weak self] _ in self?.drop() }
        context.writeAndFlush(NIOAny(ByteBuffer()), promise: written)
    }

    private func drop() {
        isClosed = true
        context?.close(promise: nil)
    }

    private func end(_ end: End) {
        guard !isClosed else { return }
        isOpen = false
        let owner = owner
        self.owner = nil
        drop()
        owner?.linkEnded(end)
    }

    // MARK: Channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if isClosed { context.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        output = ChannelOutput(context, isPlain: true, buffer: buffer)
        sendNextRequest()
        context.fireChannelActive()
    }

    func read(context: ChannelHandlerContext) {
        if owner?.acceptsBytes ?? true {
            context.read()
        } else {
            hasDeferredRead = true
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var chunk = unwrapInboundIn(data)
        while !isClosed, let event = reader.next(&chunk) {
            switch event {
            case .part(let bytes, let isFirst, let isLast) where isOpen && relaysParts:
                owner?.linkReceived(bytes, isFirst: isFirst, isLast: isLast)
            case .part(let bytes, let isFirst, let isLast):
                collect(bytes, isFirst: isFirst, isLast: isLast)
            case .refusal: end(.turnedAway("the daemon refuses the connection; its log has the reason"))
            case .malformed: end(.lost("the daemon does not speak the protocol"))
            }
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if isOpen { owner?.linkReceivedAll() }
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if isOpen { owner?.linkWritabilityChanged() }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        output = nil
        end(isOpen && reader.isBetweenMessages ? .closed : .lost("the daemon closed the connection"))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end(.lost(ClientError.reason(of: error)))
    }

    // MARK: Set-up and whole messages

    private func sendNextRequest() {
        guard let request = setup.first else { return }
        write(request)
        flush()
    }

    private func collect(_ part: ByteBuffer, isFirst: Bool, isLast: Bool) {
        if isFirst { message = nil }
        guard (message?.readableBytes ?? 0) + part.readableBytes <= maximumBytes else { return end(.tooLong) }
        if message == nil { message = part } else { message?.writeImmutableBuffer(part) }
        guard isLast, let message = message.take() else { return }
        if isOpen { owner?.linkReceived(message) } else { received(reply: message) }
    }

    private func received(reply: ByteBuffer) {
        guard SetupRequests.result(reply) != nil else {
            // Without a lower scope, or the scope of a person, nothing is relayed.
            let isFirst = setup.startIndex == 0
            return end(isFirst ? .denied("the daemon answered: \(String(buffer: reply))") : .refused(reply))
        }
        setup = setup.dropFirst()
        guard setup.isEmpty else { return sendNextRequest() }
        isOpen = true
        for message in waiting { write(message) }
        waiting = []
        flush()
        if let owner { owner.linkOpened(lastReply: reply) } else { closeAfterWrites() }
    }
}

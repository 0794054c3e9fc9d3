import CoreMetrics
import JSONRPC
import Logging
import NIOCore
import ViewModelHost

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// One client's socket: bytes to messages and back (protocol, section 1).
///
/// Isolation: confined to its event loop, as every channel handler.
final class Connection: ChannelInboundHandler, MessageSink {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// What may be unsent before notifications wait: they are made from what is current then.
    static let frameBudget = 64 << 10

    private let loop: EventLoopSessionLoop
    private let host: Host
    private let accepted: AcceptedSocket
    private let loopState: LoopState
    @exclusivity(unchecked) private var framing: MessageFraming
    /// The framing's mode, which has to be known while the framing is at work.
    @exclusivity(unchecked) private var isHeaderFramed = false
    /// Made with the connection, which it knows as its sink.
    @exclusivity(unchecked) private var peer: RPCPeer!
    @exclusivity(unchecked) private var context: ChannelHandlerContext?
    @exclusivity(unchecked) private var unsent = JSONWriter()
    /// Whether what is unsent began as bytes that others are sent, too.
    @exclusivity(unchecked) private var isUnsentShared = false
    @exclusivity(unchecked) private var isUnflushed = false
    /// Whether the channel is open, and whether it takes more; as it told last.
    @exclusivity(unchecked) private var isActive = false
    @exclusivity(unchecked) private var isWritable = true
    /// How many writes the channel has not ended: only while there is none may bytes go around it.
    @exclusivity(unchecked) private var channelWrites = 0
    /// Bytes that could not be taken in yet.
    @exclusivity(unchecked) private var rest: ByteBuffer?
    @exclusivity(unchecked) private var isInputEnded = false
    /// Whether the end of the stream has ended its last line.
    @exclusivity(unchecked) private var isLastLineEnded = false
    /// Whether messages are being taken in.
    @exclusivity(unchecked) private var isTakingIn = false
    /// Whether the connection waits for its next turn on the loop.
    @exclusivity(unchecked) var isQueued = false
    @exclusivity(unchecked) private var isFinishing = false
    private var stall: StallWatch?
    private var lag: LagWatch?
    /// What of this connection is in the metric of what is unsent.
    @exclusivity(unchecked) private var toldBacklog = 0
    /// The bytes that the connection holds for its user, as they were counted last.
    @exclusivity(unchecked) private(set) var heldBytes = 0

    /// Makes the connection of an accepted socket; called on its event loop.
    init(loop: EventLoopSessionLoop, host: Host, accepted: AcceptedSocket) {
        self.loop = loop
        self.host = host
        self.accepted = accepted
        loopState = loop.state.value
        framing = MessageFraming(maximumMessageBytes: host.configuration.limits.messageBytes)
        peer = RPCPeer(
            host: host,
            loop: loop,
            identity: ClientIdentity(
                uid: accepted.credentials.uid,
                pid: accepted.credentials.pid,
                scope: accepted.scope
            ),
            sink: self
        )
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        isActive = context.channel.isActive
    }

    func channelActive(context: ChannelHandlerContext) {
        isActive = true
        // A configuration that came after the admission and before the registry knew of this found nobody to tell.
        adopt(host.configuration, owner: geteuid())
        context.fireChannelActive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        // A channel that never became active does not become inactive either.
        peer.close()
    }

    func channelInactive(context: ChannelHandlerContext) {
        isActive = false
        isFinishing = true
        stall?.end()
        lag?.end()
        tellBacklog(0)
        peer.close()
        rest = nil
        countHeldBytes()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        log(.debug, "Connection failed", ["error": "\(error)"])
        context.close(promise: nil)
    }

    // MARK: Reading

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        loopState.traffic.receivedBytes += bytes.readableBytes
        guard rest == nil else {
            rest?.writeImmutableBuffer(bytes)
            return
        }
        loopState.burst { takeIn(bytes) }
    }

    /// Nobody is behind this handler.
    func channelReadComplete(context: ChannelHandlerContext) {}

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed {
            isInputEnded = true
            loopState.burst { endInput() }
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    /// Takes bytes in until they end, the client has to be made to wait, or the connection's turn is over.
    ///
    /// - Parameter hasTurn: whether the turn has begun. Otherwise it begins with the second message, so that the clock is not
    ///   read for bytes that hold only one.
    private func takeIn(_ bytes: ByteBuffer, hasTurn: Bool = false) {
        isTakingIn = true
        let peer: RPCPeer = peer
        var hasTurn = hasTurn
        var isFirst = true
        let consumed = bytes.withUnsafeReadableBytes { bytes in
            framing.determineMode(from: bytes)
            isHeaderFramed = framing.mode == .header
            return framing.consume(bytes) { event in
                switch event {
                case .message(let message):
                    if !isFirst, !hasTurn {
                        hasTurn = true
                        peer.beginTurn(of: loopState.turnLength)
                    }
                    peer.receive(message)
                case .tooLarge: peer.receiveTooLarge()
                case .emptyBody: peer.receiveMalformed()
                case .malformedHeader:
                    peer.receiveMalformed()
                    finish()
                }
                defer { isFirst = false }
                return mustWait(peer) || peer.isTurnOver() ? .pause : .proceed
            }
        }
        if consumed < bytes.readableBytes || mustWait(peer) {
            pauseReading(rest: bytes.getSlice(at: bytes.readerIndex + consumed, length: bytes.readableBytes - consumed))
        }
        peer.endTurn()
        isTakingIn = false
        countHeldBytes()
    }

    private func mustWait(_ peer: RPCPeer) -> Bool { isFull(peer) || peer.holdsMessages }

    private func pauseReading(rest: ByteBuffer?) {
        self.rest = rest ?? ByteBuffer()
        setReading(false)
        if isFull {
            watchStall()
        } else if !peer.isMoving {
            loopState.waitForTurn(self)
        }
    }

    /// Goes on with messages that wait, in a turn of their own.
    ///
    /// The caller may be in the middle of a step whose frame is being written.
    func resumeReading() {
        guard rest != nil else { return }
        loopState.waitForTurn(self)
    }

    /// Goes on with messages that wait.
    func takeTurn() {
        guard let rest, isActive, !isFinishing, !isFull, !peer.isMoving else { return }
        stall?.end()
        stall = nil
        loopState.burst {
            peer.beginTurn(of: loopState.turnLength)
            peer.resumeBatch()
            if mustWait(peer) {
                pauseReading(rest: rest)
                peer.endTurn()
                countHeldBytes()
            } else {
                self.rest = nil
                takeIn(rest, hasTurn: true)
            }
        }
        guard self.rest == nil else { return }
        setReading(true)
        if isInputEnded { loopState.burst { endInput() } }
    }

    /// Takes the end of the stream: it ends the last line as a line feed does (protocol, section 1).
    private func endInput() {
        guard rest == nil else { return }
        if !isLastLineEnded {
            isLastLineEnded = true
            if framing.mode == .lines, framing.bufferedBytes > 0 { takeIn(ByteBuffer(string: "\n")) }
        }
        if rest == nil { peer.inputEnded() }
    }

    /// Counts what is held for this client: input that waits, and output that it does not read.
    private func countHeldBytes() {
        let waiting = (rest?.readableBytes ?? 0) + framing.bufferedBytes + peer.heldBytes
        let now = isActive ? waiting + toldBacklog : 0
        guard now != heldBytes else { return }
        loopState.users.count(now - heldBytes, of: accepted.credentials.uid, by: self)
        heldBytes = now
    }

    func heldBytesChanged() {
        // What changes while messages are taken in is counted once they are.
        if !isTakingIn { countHeldBytes() }
    }

    /// Closes the connection because its user holds more than `limits.bytesPerUser`.
    func closeForBytes(held: Int, limit: Int) {
        log(
            .warning,
            "Closed the connection of a user that holds too much",
            ["held": "\(held)", "limits.bytesPerUser": "\(limit)", "connection": "\(heldBytes)"]
        )
        abort()
    }

    private func setReading(_ isOn: Bool) {
        do {
            try context?.channel.syncOptions?.setOption(.autoRead, value: isOn)
        } catch {
            // The channel is closed; there is nothing to read.
            host.logger.trace("Reading could not be switched", metadata: ["error": "\(error)"])
        }
    }

    // MARK: Writing

    var isReady: Bool { isActive && isWritable && unsent.bytes.count < Self.frameBudget }

    var isFull: Bool { isFull(peer) }

    private func isFull(_ peer: RPCPeer) -> Bool {
        unsent.bytes.count + bufferedBytes > peer.bufferLimit
    }

    /// What the channel holds because the kernel has not taken it.
    private var bufferedBytes: Int {
        if isWritable { return 0 }
        return (try? context?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }

    func write(_ body: (inout JSONWriter) -> Void) {
        guard !isFinishing else { return }
        if unsent.bytes.isEmpty { unsent.bytes = loopState.takeBuffer() }
        let start = unsent.bytes.count
        body(&unsent)
        if isHeaderFramed {
            let head = "Content-Length: \(unsent.bytes.count - start)\r\n\r\n"
            unsent.bytes.insert(contentsOf: head.utf8, at: start)
        } else {
            unsent.byte(UInt8(ascii: "\n"))
        }
        written()
    }

    func write(line: [UInt8]) {
        guard unsent.bytes.isEmpty, !isHeaderFramed, !isFinishing else {
            return write(messageOf: line)
        }
        // Not copied, unless something follows in the same burst.
        unsent.bytes = line
        isUnsentShared = true
        written()
    }

    private func written() {
        if unsent.bytes.count >= Self.frameBudget {
            flush()
        } else if !isUnflushed {
            isUnflushed = true
            loopState.flushLater(self)
        }
    }

    /// Hands over to the socket what has been written.
    ///
    /// While the channel has something to write, more is collected first: many small buffers take several times the room of
    /// what is in them.
    ///
    /// - Parameter isLast: whether nothing follows, so that there is nothing to collect.
    func flush(isLast: Bool = false) {
        isUnflushed = false
        guard !unsent.bytes.isEmpty, let context else { return }
        guard channelWrites == 0 || isLast || unsent.bytes.count >= Self.frameBudget else { return }
        var bytes: [UInt8] = []
        swap(&bytes, &unsent.bytes)
        let sent = channelWrites == 0 && isActive ? bytes.withUnsafeBytes(send) : 0
        if sent < bytes.count { write(bytes[sent...], through: context) }
        loopState.traffic.sentBytes += bytes.count
        if isUnsentShared { isUnsentShared = false } else { loopState.giveBack(&bytes) }
    }

    /// Offers bytes to the kernel directly: a socket that takes them, as nearly all do, costs one system call and nothing else.
    ///
    /// The channel owns the descriptor. It closes it on this loop, and says so (`channelInactive`) before anybody else
    /// can run.
    ///
    /// - Returns: how many were taken; what stands in the way of the others is the channel's to find out.
    private func send(_ bytes: UnsafeRawBufferPointer) -> Int {
        max(0, Self.send(accepted.descriptor, bytes))
    }

    private static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
            Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        #else
            Musl.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        #endif
    }

    /// Lets the channel write when the socket takes more.
    private func write(_ bytes: ArraySlice<UInt8>, through context: ChannelHandlerContext) {
        let buffer = context.channel.allocator.buffer(bytes: bytes)
        channelWrites += 1
        let loop = context.eventLoop
        let connection = NIOLoopBound(self, eventLoop: loop)
        context.writeAndFlush(wrapOutboundOut(buffer)).whenComplete { result in
            let connection = connection.value
            connection.channelWrites -= 1
            // A write that failed may tell that the descriptor has been closed, before the channel says so.
            if case .success = result, connection.channelWrites == 0 { connection.flush() }
        }
        tellBacklog(bufferedBytes)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        isWritable = context.channel.isWritable
        tellBacklog(bufferedBytes)
        watchLag(context)
        if isWritable {
            loopState.burst { peer.sinkReady() }
            resumeReading()
        }
        context.fireChannelWritabilityChanged()
    }

    func finish() {
        guard !isFinishing, let context else { return }
        flush(isLast: true)
        isFinishing = true
        setReading(false)
        // Behind all that was written: an empty write ends when they have.
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(ByteBuffer())).whenComplete { _ in
            channel.close(promise: nil)
        }
    }

    /// Closes the connection at once, whatever is unsent.
    func abort() {
        context?.close(promise: nil)
    }

    /// The configuration has changed.
    func adopt(_ configuration: HostConfiguration, owner: UInt32) {
        framing.maximumMessageBytes = configuration.limits.messageBytes
        peer.adopt(configuration.limits, configuration.access.scope(of: accepted.credentials, owner: owner))
    }

    /// The daemon ends.
    func stop() {
        peer.stop()
    }

    // MARK: Clients that do not read

    /// Nothing is asked or told while the client keeps up.
    private func tellBacklog(_ bytes: Int) {
        guard bytes != toldBacklog else { return }
        loopState.traffic.backlog.increment(by: Double(bytes - toldBacklog))
        toldBacklog = bytes
        countHeldBytes()
    }

    private func watchLag(_ context: ChannelHandlerContext) {
        if isWritable {
            if let time = lag?.end() {
                log(.info, "A slow client has caught up", ["seconds": "\(time.nanoseconds / 1_000_000_000)"])
            }
            lag = nil
        } else if lag == nil {
            lag = LagWatch(loop: context.eventLoop) { [unowned self] in
                log(.notice, "A client does not keep up; its frames wait", ["unsent": "\(bufferedBytes)"])
            }
        }
    }

    private func log(_ level: Logger.Level, _ message: Logger.Message, _ facts: Logger.Metadata) {
        host.logger.log(level: level, message, metadata: peer.metadata.merging(facts) { $1 })
    }

    private func watchStall() {
        guard stall == nil, let context else { return }
        stall = StallWatch(
            loop: context.eventLoop,
            limit: .seconds(Int64(peer.limits.stallSeconds)),
            buffered: { [unowned self] in unsent.bytes.count + bufferedBytes },
            stalled: { [unowned self] in
                log(.warning, "Closed a connection whose client does not read", ["unsent": "\(bufferedBytes)"])
                abort()
            }
        )
    }
}

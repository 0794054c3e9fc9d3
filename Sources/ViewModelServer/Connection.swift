import CoreMetrics
import Glibc
import JSONRPC
import Logging
import NIOCore
import ViewModelHost
import ViewModelProtocol

/// The handler of one client's socket.
///
/// It reports the channel's events to the ``ConnectionStateMachine`` and carries out its actions. Messages go to the
/// ``RPCPeer``, which writes its replies and frames to this ``MessageSink``.
///
/// Isolation: confined to its event loop, like every channel handler.
final class Connection: ChannelInboundHandler, MessageSink {
    typealias InboundIn = ByteBuffer

    private let loop: EventLoopSessionLoop
    private let host: Host
    private let registry: ConnectionRegistry
    private let credentials: PeerCredentials
    /// The user whose bytes the connection counts.
    private let uid: UInt32
    private let loopState: LoopState
    private let writer: SocketWriter
    @exclusivity(unchecked) private var state: ConnectionStateMachine
    /// Splits the bytes of the client into messages.
    ///
    /// `deliver` lends it to `consume` for one delivery. The code that runs during a delivery does not use it.
    @exclusivity(unchecked) private var framing: MessageFraming
    /// The JSON-RPC peer.
    ///
    /// It is created last in `init`, because its sink is this connection.
    @exclusivity(unchecked) private var peer: RPCPeer!
    @exclusivity(unchecked) private var context: ChannelHandlerContext?
    /// The observer of this connection's messages, until its end; nil without one.
    @exclusivity(unchecked) private var observer: ConnectionObserver?
    private var stallTimer: Scheduled<Void>?
    private var lagTimer: Scheduled<Void>?
    /// Ends a connection without a user.
    private var unboundTimer: Scheduled<Void>?
    /// The bytes that the client has sent before the connection moved to this loop, until they are delivered.
    private var received: [UInt8]

    /// Called on the connection's event loop.
    init(loop: EventLoopSessionLoop, host: Host, accepted: AcceptedSocket, registry: ConnectionRegistry) {
        self.loop = loop
        self.host = host
        self.registry = registry
        observer = registry.observer?.open()
        credentials = accepted.credentials
        uid = accepted.identity.uid
        received = accepted.received?.bytes ?? []
        loopState = loop.state.value
        writer = SocketWriter(descriptor: accepted.descriptor)
        let limits = host.configuration.limits
        state = ConnectionStateMachine(limits: .init(limits))
        framing = accepted.received?.framing ?? MessageFraming(maximumMessageBytes: limits.messageBytes)
        peer = RPCPeer(
            host: host,
            loop: loop,
            identity: accepted.identity,
            sink: self
        )
    }

    // MARK: Life

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive { state.opened() }
    }

    func channelActive(context: ChannelHandlerContext) {
        state.opened()
        // The configuration may have changed between the admission and the registration of this connection.
        adopt(host.configuration, owner: geteuid())
        if peer.identity.isUnbound { closeUnlessBound() }
        if !received.isEmpty {
            let bytes = received
            received = []
            loopState.burst { bytes.withUnsafeBytes(receive) }
        }
        context.fireChannelActive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        // NIO does not call `channelInactive` for a channel that never became active.
        end()
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    private func end() {
        state.closed()
        stallTimer?.cancel()
        lagTimer?.cancel()
        unboundTimer?.cancel()
        reportBacklog(0)
        peer.connectionClosed()
        observer?(.closed)
        observer = nil
        countHeldBytes()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        log(.debug, "Connection failed", ["error": "\(error)"])
        context.close(promise: nil)
    }

    /// Closes the connection after the messages that were written so far.
    func finish() {
        guard let channel = context?.channel, !state.isOver else { return }
        if let last = state.finish() { send(last) }
        setReading(false)
        writer.closeAfterWrites(channel)
        state.watchEnd(channelBacklog: writer.backlog(of: channel), at: loop.now)
        checkStall()
        countHeldBytes()
    }

    /// Closes the connection at once and drops unsent bytes.
    func abort() {
        context?.close(promise: nil)
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

    /// Applies a new configuration: limits and the scope of this client.
    func adopt(_ configuration: HostConfiguration, owner: UInt32) {
        state.adopt(.init(configuration.limits))
        framing.maximumMessageBytes = configuration.limits.messageBytes
        let grant = configuration.access.grant(of: credentials.uid, groups: credentials.groups, owner: owner)
        peer.adopt(configuration.limits, grant)
    }

    // MARK: Delegation

    /// Closes the connection after some seconds, unless it has a user or its request for one is carried out then.
    private func closeUnlessBound() {
        unboundTimer = schedule(after: registry.longestUnbound) { connection in
            guard !connection.peer.isMoving else { return }
            connection.log(.notice, "Closed a connection that acts for nobody", [:])
            connection.finish()
        }
    }

    /// Moves the socket to the loop of another user.
    ///
    /// The channel cannot move. Another one gets a duplicate of the descriptor, and the bytes that this one has read.
    func handOver(to identity: ClientIdentity, after reply: () -> Void) throws(ProtocolError) {
        try registry.admit(moved: identity.uid, host.configuration.limits)
        reply()
        flush()
        defer { abort() }
        guard let rest = state.handOver() else { return registry.release(identity.uid) }
        registry.open(
            AcceptedSocket(
                descriptor: fcntl(writer.descriptor, F_DUPFD_CLOEXEC, 0),
                credentials: credentials,
                identity: identity,
                received: (framing, rest)
            )
        )
    }

    // MARK: Reading

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // A write during a delivery has failed. NIO drains the socket before it closes the channel. The framing is in use
        // then, and no reply to the bytes could be sent.
        guard !state.isDelivering else { return }
        let bytes = unwrapInboundIn(data)
        loopState.traffic.receivedBytes += bytes.readableBytes
        loopState.burst { bytes.withUnsafeReadableBytes(receive) }
    }

    /// Does not forward the event, because this is the last handler of the pipeline.
    func channelReadComplete(context: ChannelHandlerContext) {}

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed {
            state.inputClosed()
            loopState.burst { endInput() }
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    private func receive(_ bytes: Bytes) {
        framing.determineMode(from: bytes)
        let isHeaderFramed = if case .header = framing.mode { true } else { false }
        if state.received(bytes, isHeaderFramed: isHeaderFramed) { deliver(bytes) }
        countHeldBytes()
    }

    /// Delivers the messages in these bytes until the client must wait, or the connection's turn is over.
    ///
    /// A turn that has not begun begins with the second message, so that the clock is not read for a single message.
    private func deliver(_ bytes: Bytes) {
        let peer: RPCPeer = peer
        var hasTurn = peer.turn != nil
        var isFirst = true
        let isLine = framing.mode != .header
        let consumed = framing.consume(bytes) { event in
            observer?(ObservedEvent(event))
            switch event {
            case .message(let message):
                if !isFirst, !hasTurn {
                    hasTurn = true
                    peer.turn = Turn(at: loop.now, of: loopState.turnLength)
                }
                peer.receive(message, isLine: isLine)
            case .tooLarge:
                peer.receiveTooLarge()
            case .emptyBody:
                peer.refuse(.parseError(hint: SyntaxHint.emptyBody))
            case .malformedHeader:
                peer.refuse(.parseError(hint: SyntaxHint.header))
                finish()
            }
            isFirst = false
            return state.canDeliver && !peer.messagesWait && !peer.isTurnOver() ? .proceed : .pause
        }
        perform(state.delivered(consumed, of: bytes, buffered: framing.bufferedBytes, peerWait(peer), at: loop.now))
        if hasTurn { peer.turn = nil }
    }

    private func peerWait(_ peer: RPCPeer) -> ConnectionStateMachine.Wait? {
        if !peer.messagesWait { return nil }
        return peer.isMoving ? .move : .turn
    }

    private func perform(_ action: ConnectionStateMachine.ReadAction) {
        switch action {
        case .none: break
        case .pause(let wait):
            setReading(false)
            switch wait {
            case .turn: loopState.waitForTurn(self)
            case .move: break
            case .space: checkStall()
            }
        case .resume: setReading(true)
        case .resumeBatch: loopState.burst(resumeBatch)
        case .receive(let rest):
            rest.withUnsafeBytes(receive)
            endInput()
        }
    }

    func resumeReading() {
        if state.moved() { loopState.waitForTurn(self) }
    }

    /// Queues the connection for a turn if it waits for a smaller backlog.
    ///
    /// The turn runs later, because the caller may be in the middle of a step whose frame is being written.
    private func resumeAfterBacklog() {
        guard state.backlogShrank() else { return }
        stallTimer?.cancel()
        loopState.waitForTurn(self)
    }

    /// Delivers the messages that wait, and reads again once all of them are delivered.
    func runTurn() {
        perform(state.turnBegins(peerWait(peer), at: loop.now))
    }

    private func resumeBatch() {
        peer.turn = Turn(at: loop.now, of: loopState.turnLength)
        peer.resumeBatch()
        let action = state.turnContinues(peerWait(peer), at: loop.now)
        perform(action)
        // A delivery ends its turn itself.
        if case .receive = action { return }
        peer.turn = nil
        countHeldBytes()
    }

    /// Handles the end of the client's input once all messages before it are delivered.
    private func endInput() {
        switch state.endInput(isInLine: framing.mode == .lines && framing.bufferedBytes > 0) {
        case .none: break
        case .receiveLineFeed:
            [UInt8(ascii: "\n")].withUnsafeBytes(receive)
            endInput()
        case .report: peer.inputEnded()
        }
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

    var isReady: Bool { state.isReady }

    func write(_ body: (inout JSONWriter) -> Void) {
        if observer != nil { return writeObserved(body) }
        perform(state.write(body, into: loopState.borrowBuffer()))
    }

    func write(line: [UInt8]) {
        guard state.canShare else { return write(messageOf: line) }
        observer?(.sent(line))
        perform(state.write(shared: line))
    }

    @inline(never)
    private func writeObserved(_ body: (inout JSONWriter) -> Void) {
        var message = JSONWriter()
        body(&message)
        observer?(.sent(message.bytes))
        perform(state.write({ $0.raw(message.bytes) }, into: loopState.borrowBuffer()))
    }

    private func perform(_ action: ConnectionStateMachine.WriteAction) {
        switch action {
        case .none: break
        case .flushLater: loopState.flushLater(self)
        case .flush: flush()
        }
    }

    /// Sends the unsent bytes to the socket.
    func flush() {
        if let outgoing = state.flush() { send(outgoing) }
        resumeAfterBacklog()
    }

    private func send(_ outgoing: consuming ConnectionStateMachine.Outgoing) {
        let count = outgoing.bytes.count
        let sent = outgoing.isDirect ? writer.send(outgoing.bytes) : 0
        if sent < count { write(outgoing.bytes[sent...]) }
        loopState.traffic.sentBytes += count
        if !outgoing.isShared { loopState.returnBuffer(&outgoing.bytes) }
    }

    /// Lets the channel write the bytes once the socket is writable.
    private func write(_ bytes: ArraySlice<UInt8>) {
        guard let channel = context?.channel else { return }
        state.channelWriteBegan()
        let connection = NIOLoopBound(self, eventLoop: channel.eventLoop)
        writer.write(bytes, through: channel).whenComplete { result in
            let isSuccess = if case .success = result { true } else { false }
            if connection.value.state.channelWriteEnded(isSuccess: isSuccess) { connection.value.flush() }
        }
        reportBacklog(writer.backlog(of: channel))
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        reportBacklog(writer.backlog(of: context.channel))
        switch state.writabilityChanged(to: context.channel.isWritable, at: loop.now) {
        case .none: break
        case .watchLag: watchLag()
        case .ready(let lag):
            if let lag { log(.info, "A slow client has caught up", ["seconds": "\(lag.components.seconds)"]) }
            lagTimer?.cancel()
            loopState.burst { peer.sinkReady() }
            resumeAfterBacklog()
        }
        context.fireChannelWritabilityChanged()
    }

    // MARK: Held bytes

    /// The bytes that the connection holds for its user.
    var heldBytes: Int { state.heldBytes }

    func heldBytesChanged() {
        countHeldBytes()
    }

    private func countHeldBytes() {
        let change = state.countHeldBytes(peer.heldBytes)
        if change != 0 { loopState.users.count(change, of: uid, by: self) }
    }

    /// Sets this connection's share in the backlog metric.
    ///
    /// A client that keeps up costs no update.
    private func reportBacklog(_ bytes: Int) {
        let change = state.channelBacklogChanged(to: bytes)
        guard change != 0 else { return }
        loopState.traffic.backlog.increment(by: Double(change))
        countHeldBytes()
    }

    // MARK: Clients that do not read

    /// Checks the client as long as it is watched.
    private func checkStall() {
        stallTimer?.cancel()
        guard let interval = state.stall?.interval else { return }
        stallTimer = schedule(after: interval) { connection in
            let channelBacklog = connection.context.map { connection.writer.backlog(of: $0.channel) } ?? 0
            guard connection.state.isStalled(channelBacklog: channelBacklog, at: connection.loop.now) else {
                return connection.checkStall()
            }
            let metadata: Logger.Metadata = ["unsent": "\(channelBacklog)"]
            connection.log(.warning, "Closed a connection whose client does not read", metadata)
            connection.abort()
        }
    }

    private func watchLag() {
        lagTimer = schedule(after: ConnectionStateMachine.lagReportDelay) { connection in
            guard connection.state.lagDeadline(), let channel = connection.context?.channel else { return }
            let unsent = connection.writer.backlog(of: channel)
            connection.log(.notice, "A client does not keep up; its frames wait", ["unsent": "\(unsent)"])
        }
    }

    private func schedule(after delay: Duration, _ work: @escaping (Connection) -> Void) -> Scheduled<Void> {
        let bound = NIOLoopBound((connection: self, work: work), eventLoop: loop.eventLoop)
        return loop.eventLoop.scheduleTask(in: TimeAmount(delay)) { bound.value.work(bound.value.connection) }
    }

    private func log(_ level: Logger.Level, _ message: Logger.Message, _ metadata: Logger.Metadata) {
        host.logger.log(level: level, message, metadata: peer.metadata.merging(metadata) { $1 })
    }
}

extension ConnectionStateMachine.Limits {
    init(_ limits: HostConfiguration.Limits) {
        self.init(
            bufferBytes: limits.bufferBytes,
            stall: .seconds(limits.stallSeconds)
        )
    }
}

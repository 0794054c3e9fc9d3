import JSONRPC

/// The decisions of one connection: when it delivers messages, waits, writes and closes (protocol, section 1).
///
/// The state machine has no socket, no timer and no clock. Its owner reports events with their data, and
/// carries out the actions that the methods return. Every event is allowed in every state. An event that means nothing
/// in a state changes nothing.
///
/// The owner has the framing, which splits bytes into messages. A delivery has two steps, because the code that receives
/// a message also writes replies to this value: ``received(_:isHeaderFramed:)`` begins the delivery, and
/// ``delivered(_:of:buffered:_:at:)`` ends it.
struct ConnectionStateMachine: ~Copyable {
    private enum Phase {
        case opening
        case open
        /// The last bytes are written. Later messages are dropped.
        case finishing
        case closed
    }

    private enum Input {
        /// The next bytes are delivered: from the socket, or those that a turn returns.
        case reading
        /// The owner passes messages to the peer.
        case delivering
        /// The socket is not read, and received bytes are kept.
        case waiting(rest: [UInt8], Wait)
        /// Received bytes are dropped.
        case ended
    }

    /// The end of the client's input.
    private enum InputEnd {
        case open
        /// The client has half-closed the connection.
        case closed
        /// The end has ended the last line, like a line feed.
        case lineEnded
        /// The peer knows of the end.
        case reported
    }

    /// Backlog above which frames are deferred.
    ///
    /// They are built later from current state.
    static let frameBudget = 64 << 10

    /// The time after which a slow client is logged.
    static let lagReportDelay = Duration.seconds(5)

    private var limits: Limits
    private var phase = Phase.opening
    private var input = Input.reading
    private var inputEnd = InputEnd.open
    /// Whether the socket is not read.
    ///
    /// It is read again once no bytes are kept.
    private var isPaused = false
    /// Received bytes that were not delivered: the rest during a wait, and the framing's buffer.
    private var undelivered = 0
    private var isHeaderFramed = false
    private var unsent = JSONWriter()
    /// Whether `unsent` began as an array that other connections share.
    private var isUnsentShared = false
    private var isFlushQueued = false
    /// Writes that the channel has not completed.
    private var channelWrites = 0
    private var isWritable = true
    /// The bytes that the channel buffers for a slow client, as last reported.
    private(set) var channelBacklog = 0
    /// The time since which the backlog of a slow client defers its frames, and whether the log has it.
    private var lag: (begun: Duration, isReported: Bool)?
    /// The watch over a client that has not read the last messages, or during ``Wait/space``.
    private(set) var stall: StallWatch?
    /// The bytes that are held for the connection, as last counted.
    private(set) var heldBytes = 0

    init(limits: Limits) {
        self.limits = limits
    }

    mutating func adopt(_ limits: Limits) {
        self.limits = limits
    }

    // MARK: Life

    /// Handles the activation of the channel, after which bytes may be sent past it.
    mutating func opened() {
        if phase == .opening { phase = .open }
    }

    /// Begins to close the connection after all messages that were written so far.
    ///
    /// - Returns: the last bytes to send, if there are any.
    mutating func finish() -> Outgoing? {
        guard !isOver else { return nil }
        let last = flush(isLast: true)
        phase = .finishing
        dropInput()
        return last
    }

    /// Begins to watch whether the client reads the last messages, if any wait for it.
    mutating func watchEnd(channelBacklog: Int, at now: Duration) {
        guard phase == .finishing, channelBacklog > 0 else { return }
        stall = StallWatch(backlog: channelBacklog, limit: limits.stall, at: now)
    }

    /// Handles the end of the channel.
    mutating func closed() {
        phase = .closed
        dropInput()
        unsent = JSONWriter()
        lag = nil
    }

    /// Whether the connection ends, or has ended.
    var isOver: Bool { phase == .finishing || phase == .closed }

    private mutating func dropInput() {
        undelivered = 0
        stall = nil
        // During a delivery, `delivered` ends the input.
        if !isDelivering { input = .ended }
    }

    /// Whether the messages of a read are being delivered.
    var isDelivering: Bool { if case .delivering = input { true } else { false } }

    private var isReading: Bool { if case .reading = input { true } else { false } }

    /// The event that the connection waits for; nil if it does not wait.
    var currentWait: Wait? { if case .waiting(_, let wait) = input { wait } else { nil } }

    // MARK: Input

    /// Handles bytes from the socket, or those that ``turnContinues(_:at:)`` or ``endInput(isInLine:)`` has returned.
    ///
    /// - Returns: whether to deliver the bytes. If not, they are kept or dropped.
    mutating func received(_ bytes: Bytes, isHeaderFramed: Bool) -> Bool {
        self.isHeaderFramed = isHeaderFramed
        switch input {
        case .reading:
            input = .delivering
            return true
        case .waiting(var rest, let wait):
            // The other reference to the array, so that it is not copied.
            input = .ended
            rest.append(contentsOf: bytes)
            undelivered += bytes.count
            input = .waiting(rest: rest, wait)
            return false
        case .delivering:
            assertionFailure("bytes of a read during a delivery are dropped before")
            return false
        case .ended:
            return false
        }
    }

    /// Whether the next message may be delivered, as far as the connection is concerned.
    var canDeliver: Bool { !isFull && !isOver }

    /// Handles the end of a delivery, of which the bytes behind `consumed` are kept.
    ///
    /// `buffered` is the number of bytes of an unfinished message that the framing keeps. `peerWait` is the event that the
    /// peer waits for before it accepts more messages.
    mutating func delivered(
        _ consumed: Int,
        of bytes: Bytes,
        buffered: Int,
        _ peerWait: Wait?,
        at now: @autoclosure () -> Duration
    ) -> ReadAction {
        if isOver {
            input = .ended
            return .none
        }
        let rest = bytes.count - consumed
        undelivered = rest + buffered
        if rest == 0, peerWait == nil, !isFull {
            input = .reading
            guard isPaused else { return .none }
            isPaused = false
            return .resume
        }
        isPaused = true
        let wait = wait(for: peerWait, at: now())
        input = .waiting(rest: Array(bytes[consumed...]), wait)
        return .pause(wait)
    }

    private mutating func wait(for peerWait: Wait?, at now: Duration) -> Wait {
        guard isFull else { return peerWait ?? .turn }
        stall = StallWatch(backlog: backlog, limit: limits.stall, at: now)
        return .space
    }

    private mutating func wait(for wait: Wait) {
        if case .waiting(let rest, _) = input { input = .waiting(rest: rest, wait) }
    }

    private mutating func pause(for peerWait: Wait?, at now: Duration) -> ReadAction {
        let wait = wait(for: peerWait, at: now)
        self.wait(for: wait)
        return .pause(wait)
    }

    /// Handles the end of a move between two sessions; returns whether to queue the connection for a turn.
    mutating func moved() -> Bool {
        guard currentWait == .move else { return false }
        wait(for: .turn)
        return true
    }

    /// Handles a smaller backlog; returns whether to queue the connection for a turn.
    mutating func backlogShrank() -> Bool {
        guard currentWait == .space, !isFull else { return false }
        stall = nil
        wait(for: .turn)
        return true
    }

    mutating func turnBegins(_ peerWait: Wait?, at now: Duration) -> ReadAction {
        guard currentWait != nil else { return .none }
        return isFull || peerWait == .move ? pause(for: peerWait, at: now) : .resumeBatch
    }

    /// Handles the end of a batch's part in a turn.
    mutating func turnContinues(_ peerWait: Wait?, at now: Duration) -> ReadAction {
        guard case .waiting(let rest, _) = input else { return .none }
        guard !isFull, peerWait == nil else { return pause(for: peerWait, at: now) }
        input = .reading
        return .receive(rest)
    }

    /// Handles the half-close by the client.
    ///
    /// The owner then calls ``endInput(isInLine:)``.
    mutating func inputClosed() {
        if inputEnd == .open { inputEnd = .closed }
    }

    /// Returns the next step after the end of the client's input, once all messages before it are delivered.
    ///
    /// `isInLine` says whether the framing keeps a part of a line.
    mutating func endInput(isInLine: Bool) -> InputEndAction {
        guard inputEnd == .closed || inputEnd == .lineEnded, isReading else { return .none }
        if inputEnd == .closed, isInLine {
            inputEnd = .lineEnded
            return .receiveLineFeed
        }
        inputEnd = .reported
        dropInput()
        return .report
    }

    /// Ends a connection that moves to another loop; returns the received bytes that were not delivered.
    ///
    /// Returns nil if the client has not taken all that was written, or if the connection is over.
    mutating func handOver() -> [UInt8]? {
        guard phase == .open, unsent.bytes.isEmpty, channelWrites == 0 else { return nil }
        let rest: [UInt8] = if case .waiting(let rest, _) = input { rest } else { [] }
        closed()
        return rest
    }

    // MARK: Output

    /// Whether the backlog is small enough to accept a frame.
    var isReady: Bool { phase == .open && isWritable && unsent.bytes.count < Self.frameBudget }

    /// Whether the backlog is so large that no more messages are delivered.
    var isFull: Bool { backlog > limits.bufferBytes }

    private var backlog: Int { unsent.bytes.count + channelBacklog }

    /// Writes one message; returns when to flush.
    ///
    /// `body` must not use this value. `buffer` is for the first message since the last flush.
    mutating func write(_ body: (inout JSONWriter) -> Void, into buffer: @autoclosure () -> [UInt8]) -> WriteAction {
        guard !isOver else { return .none }
        if unsent.bytes.isEmpty { unsent.bytes = buffer() }
        let start = unsent.bytes.count
        body(&unsent)
        if isHeaderFramed {
            let head = "Content-Length: \(unsent.bytes.count - start)\r\n\r\n"
            unsent.bytes.insert(contentsOf: head.utf8, at: start)
        } else {
            unsent.byte(UInt8(ascii: "\n"))
        }
        return written()
    }

    /// Whether ``write(shared:)`` can keep a line without a copy.
    var canShare: Bool { unsent.bytes.isEmpty && !isHeaderFramed && !isOver }

    /// Writes a message with its line feed, which other connections may share.
    ///
    /// The array is not copied unless another message follows before the next flush. Requires ``canShare``.
    mutating func write(shared line: [UInt8]) -> WriteAction {
        unsent.bytes = line
        isUnsentShared = true
        return written()
    }

    private mutating func written() -> WriteAction {
        if unsent.bytes.count >= Self.frameBudget { return .flush }
        if isFlushQueued { return .none }
        isFlushQueued = true
        return .flushLater
    }

    /// Returns the unsent bytes, to send them now.
    ///
    /// While the channel has writes in flight, bytes are collected up to ``frameBudget``. Many small buffers in the
    /// channel need several times the memory of their contents.
    mutating func flush(isLast: Bool = false) -> Outgoing? {
        isFlushQueued = false
        guard !unsent.bytes.isEmpty else { return nil }
        guard channelWrites == 0 || isLast || unsent.bytes.count >= Self.frameBudget else { return nil }
        var bytes: [UInt8] = []
        swap(&bytes, &unsent.bytes)
        let isShared = isUnsentShared
        isUnsentShared = false
        return Outgoing(bytes: bytes, isDirect: channelWrites == 0 && phase == .open, isShared: isShared)
    }

    /// Records that the channel has a write in flight.
    mutating func channelWriteBegan() {
        channelWrites += 1
    }

    /// Handles the end of a write by the channel; returns whether to flush.
    ///
    /// After a failure the descriptor may be closed before ``closed()`` is called, so nothing is sent.
    mutating func channelWriteEnded(isSuccess: Bool) -> Bool {
        channelWrites -= 1
        return isSuccess && channelWrites == 0
    }

    /// Records the bytes that the channel buffers for a slow client; returns the change.
    mutating func channelBacklogChanged(to bytes: Int) -> Int {
        let bytes = phase == .closed ? 0 : bytes
        defer { channelBacklog = bytes }
        return bytes - channelBacklog
    }

    // MARK: Slow clients

    mutating func writabilityChanged(to isWritable: Bool, at now: Duration) -> WritabilityAction {
        guard phase != .closed else { return .none }
        self.isWritable = isWritable
        if isWritable {
            defer { lag = nil }
            return .ready(afterLag: lag.flatMap { $0.isReported ? now - $0.begun : nil })
        }
        guard lag == nil else { return .none }
        lag = (now, false)
        return .watchLag
    }

    /// Handles the deadline of a lag; returns whether to report it.
    mutating func lagDeadline() -> Bool {
        guard lag != nil else { return false }
        lag?.isReported = true
        return true
    }

    /// Checks a client that is watched, after each ``StallWatch/interval``; returns whether to disconnect it.
    mutating func isStalled(channelBacklog: Int, at now: Duration) -> Bool {
        stall?.isStalled(backlog: unsent.bytes.count + channelBacklog, at: now) ?? false
    }

    // MARK: Held bytes

    /// Counts the bytes that are held for the connection: input that waits, and output that the client has not read.
    ///
    /// During a delivery they change with each message, so they are counted after it. Returns the change since the last count.
    mutating func countHeldBytes(_ peerBytes: Int) -> Int {
        var held = 0
        if phase != .closed {
            if isDelivering { return 0 }
            held = undelivered + channelBacklog + peerBytes
        }
        defer { heldBytes = held }
        return held - heldBytes
    }
}

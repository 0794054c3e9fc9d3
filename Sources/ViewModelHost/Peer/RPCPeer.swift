package import ViewModelKit
package import ViewModelProtocol

/// The JSON-RPC state of one connection, from messages to replies.
///
/// It does no I/O (protocol, section 2).
///
/// Isolation: confined to its loop. Calls hop to the session's loop if that is another one.
package final class RPCPeer {
    let host: Host
    let loop: any SessionLoop
    @exclusivity(unchecked) package internal(set) var identity: ClientIdentity
    /// The scope above which the client has none, whatever the configuration grants to its user.
    @exclusivity(unchecked) var highestScope = AccessScope.admin
    /// The limits that a client's messages are checked against, without the others: each connection has a copy.
    @exclusivity(unchecked) private(set) var limits: (messageBytes: Int, batch: Int, inFlight: Int)
    /// The destination of messages.
    ///
    /// It is strong until the connection closes, so a late write cannot reach a freed object.
    @exclusivity(unchecked) private(set) var sink: (any MessageSink)?
    /// The client's name and version from `session.attach`.
    var client: ClientInfo?
    /// The client's attachment to a session, which may be on another loop; nil before the first call and after the
    /// session's end.
    @exclusivity(unchecked) private(set) var attachment: LoopConfined<Attachment>? {
        didSet { localAttachment = attachment?.value(on: loop) }
    }
    /// The client's attachment, if its session is on this loop.
    @exclusivity(unchecked) private(set) var localAttachment: Attachment?
    /// The session whose end was reported to the client, until the client attaches again.
    ///
    /// Meanwhile calls are refused. The client may have sent them for the ended session (protocol, section 4).
    var endedSession: (name: String?, reason: String)?
    /// The unanswered requests by id.
    ///
    /// The value is nil until a handler makes a pending reply. The ids of a batch stay until the batch is answered.
    @exclusivity(unchecked) var inFlight: [RequestID: PendingReply?] = [:]
    /// The bytes of the long ids of unanswered requests, and of the replies of unfinished batches.
    @exclusivity(unchecked) var unansweredBytes = 0
    @exclusivity(unchecked) private var isInputEnded = false
    /// Whether the connection is between two sessions.
    ///
    /// Its next messages wait.
    @exclusivity(unchecked) package internal(set) var isMoving = false
    /// Whether the next messages wait: the connection is between two sessions, or a batch waits for its next turn.
    package var messagesWait: Bool { isMoving || waitingBatch != nil }
    /// The bytes that are held for a waiting batch, for unanswered requests and for unfinished batches.
    package var heldBytes: Int { (waitingBatch?.rest.message.count ?? 0) + unansweredBytes }
    /// The batch whose rest waits for the end of a move or for its next turn.
    @exclusivity(unchecked) var waitingBatch: Batch?
    /// The turn on the loop that has begun and not ended.
    @exclusivity(unchecked) package var turn: Turn?
    /// The bytes from a session on another loop that the client has not accepted yet.
    @exclusivity(unchecked) private var unaccepted = 0
    @exclusivity(unchecked) private(set) var isClosed = false
    /// Limits the log lines about this client.
    var logLimiter = LogRateLimiter<ClientEvent>()
    /// Delays the replies to calls that are refused because the store is away.
    var refusals = RefusalPace()

    package init(host: Host, loop: any SessionLoop, identity: ClientIdentity, sink: any MessageSink) {
        self.host = host
        self.loop = loop
        self.identity = identity
        let limits = host.configuration.limits
        self.limits = (limits.messageBytes, limits.batch, limits.inFlight)
        self.sink = sink
    }

    // MARK: Input

    /// Receives one message; `isLine` is for the hint about a syntax error.
    package func receive(_ message: Bytes, isLine: Bool = true) {
        guard !isClosed else { return }
        do {
            // A pattern, because `==` of another module's enum is a call through its conformance.
            if case .array = JSONText.kind(of: message) {
                receive(try Envelope.batch(in: message, maximum: limits.batch), in: message)
            } else {
                start(try Envelope(parsing: message), of: nil, in: message)
            }
        } catch {
            let hint = SyntaxHint.hint(for: error, in: message, isLine: isLine)
            refuse(.parseError(offset: error.offset, hint: hint))
        }
    }

    /// Replies that a message was longer than the limit.
    package func receiveTooLarge() {
        refuse(.messageTooLarge(limit: limits.messageBytes))
    }

    /// Records that the client has ended its input.
    ///
    /// Pending replies are still sent, then the connection is closed.
    package func inputEnded() {
        isInputEnded = true
        finishIfDone()
    }

    /// Sends held frames, because the client can accept frames again.
    package func sinkReady() {
        if let localAttachment { return localAttachment.flush() }
        let accepted = unaccepted
        unaccepted = 0
        if accepted > 0 { attachment?.run { $0.creditReturned(accepted) } }
    }

    /// The maximum length of a connection's turn (protocol, section 2).
    package static let longestTurn = Duration.milliseconds(10)

    /// Checks after a message whether the current turn is over.
    package func isTurnOver() -> Bool {
        turn?.isOver(loop) ?? false
    }

    /// Ends the peer after its connection has closed: it detaches from the session and drops all pending work.
    package func connectionClosed() {
        guard !isClosed else { return }
        isClosed = true
        for pending in inFlight.values { pending?.connectionClosed() }
        inFlight = [:]
        unansweredBytes = 0
        waitingBatch = nil
        replaceAttachment(with: nil)
        logSuppressed()
        sink = nil
    }

    /// Applies the limits and the grant of a new configuration.
    ///
    /// The connection is closed without a grant, and if the user becomes a front or is one no more.
    package func adopt(_ limits: HostConfiguration.Limits, _ grant: AccessGrant?) {
        guard !isClosed else { return }
        self.limits = (limits.messageBytes, limits.batch, limits.inFlight)
        if let scope = grant?.scope, identity.delegation == nil {
            identity.scope = min(scope, highestScope)
        } else if grant != .delegate || identity.delegation == nil {
            refuse(.accessDenied(reason: AccessPolicy.refusal))
            sink?.finish()
        }
    }

    // MARK: Messages

    /// Starts a message, which may be an entry of a batch.
    func start(_ envelope: Envelope, of batch: Batch?, in message: Bytes) {
        switch envelope.kind {
        case .reply:
            log(.strayReply) { [:] }
        case .invalid(let reason):
            write(invalid(reason), to: id(of: envelope, in: message), in: batch)
        case .notification:
            _ = dispatch(envelope, in: message, id: nil)
        case .request:
            let id = id(of: envelope, in: message)
            if !inFlight.isEmpty, let refusal = refusal(of: id) {
                return write(refusal.reply, to: refusal.id, in: batch)
            }
            guard let batch else {
                if let reply = dispatch(envelope, in: message, id: id) { write(reply, to: id) }
                return
            }
            let entry = (batch: batch, index: batch.reserve(id))
            inFlight.updateValue(nil, forKey: id)
            unansweredBytes += Self.heldBytes(of: id)
            if let reply = dispatch(envelope, in: message, id: id, entry: entry) {
                unansweredBytes += batch.fill(entry.index, with: reply)
            }
        }
    }

    /// Returns the id for the reply to a message, which is null if the message has no usable one.
    private func id(of envelope: Envelope, in message: Bytes) -> RequestID {
        envelope.id.map { RequestID(in: message, at: $0) } ?? .null
    }

    /// Registers a pending reply: its id is in use, and its request can be cancelled.
    func add(_ pending: PendingReply, for id: RequestID) {
        // The id of an entry has been counted with its batch.
        if pending.entry == nil { unansweredBytes += Self.heldBytes(of: id) }
        inFlight[id] = pending
    }

    /// Returns the rejection of a request whose id is in use, or of one request too many; nil for a valid request.
    private func refusal(of id: RequestID) -> (reply: Reply, id: RequestID)? {
        if inFlight[id] != nil { return (invalid(.duplicateId, id), .null) }
        let limit = limits.inFlight
        guard inFlight.count >= limit else { return nil }
        let error = ProtocolError.limitExceeded(limit: "limits.inFlight", value: limit)
        logError(error)
        return (.error(error), id)
    }

    func invalid(_ reason: InvalidReason, _ id: RequestID? = nil) -> Reply {
        let error = ProtocolError.invalidRequest(reason: reason.rawValue, id: id, hint: reason.hint)
        logError(error)
        return .error(error)
    }

    // MARK: Output

    /// Replies with an error that belongs to no request.
    package func refuse(_ error: ProtocolError) {
        guard !isClosed else { return }
        logError(error)
        write(.error(error), to: .null)
    }

    func write(_ reply: Reply, to id: RequestID, in batch: Batch? = nil) {
        if let batch {
            unansweredBytes += batch.add(reply, to: id)
        } else {
            sink?.write { reply.write(to: id, with: &$0) }
        }
    }

    /// Sends a reply that comes after its message.
    ///
    /// Called by the pending reply itself, once. Of a notification only an error is logged.
    func complete(_ pending: PendingReply, _ reply: Reply) {
        if case .error(let error) = reply { logError(error, of: pending.method) }
        guard !isClosed, let id = pending.id else { return }
        if let entry = pending.entry {
            unansweredBytes += entry.batch.fill(entry.index, with: reply)
            sink?.heldBytesChanged()
            finish(entry.batch)
        } else {
            inFlight[id] = nil
            release(bytes: Self.heldBytes(of: id))
            write(reply, to: id)
        }
        finishIfDone()
    }

    // MARK: Held bytes

    /// Returns the bytes that count for the id of an unanswered request.
    ///
    /// Ids up to 128 bytes count as 0.
    static func heldBytes(of id: RequestID) -> Int {
        let count = id.byteCount
        return count > 128 ? count : 0
    }

    func release(bytes: Int) {
        guard bytes > 0 else { return }
        unansweredBytes -= bytes
        sink?.heldBytesChanged()
    }

    private func finishIfDone() {
        guard isInputEnded, !isClosed, !messagesWait, inFlight.isEmpty else { return }
        localAttachment?.flushHeld()
        sink?.finish()
    }

    // MARK: The session

    /// Attaches to a new anonymous session if the client calls before it attaches.
    ///
    /// - Throws: -32010 after the end of the client's session.
    func requireSession() throws(ProtocolError) {
        guard attachment == nil else { return }
        if let endedSession { throw .sessionEnded(endedSession.name, reason: endedSession.reason) }
        attachToOwnSession()
    }

    private func attachToOwnSession() {
        let session = Session(
            host: host,
            uid: identity.uid,
            person: identity.person,
            name: nil,
            linger: 0,
            loop: loop
        )
        attachment = session.core.attach(LoopConfined(self, on: loop), to: session, linger: nil)
    }

    /// Replaces the attachment, and detaches from the former session.
    ///
    /// The new attachment exists before. A session to which the client attaches again does not end in between.
    func replaceAttachment(with new: LoopConfined<Attachment>?) {
        let former = attachment
        attachment = new
        endedSession = nil
        unaccepted = 0
        former?.run { $0.core.detach($0) }
    }

    /// Handles the end of the session, with its reason unless this client requested it.
    ///
    /// If the client requested the end, its next call attaches to a new anonymous session. Otherwise it must attach.
    func sessionEnded(_ session: Session, _ end: SessionClosed.Params?) {
        guard let attachment, attachment.session === session else { return }
        self.attachment = nil
        unaccepted = 0
        guard let end, !isClosed else { return }
        // An anonymous session ends through its own client, or with the connection when the daemon stops. Only a
        // failure needs a notification.
        guard session.name != nil || end.has(reason: .failed) else { return }
        notify(end, of: session.name)
        endedSession = (session.name, end.reason)
    }

    private func notify(_ end: SessionClosed.Params, of name: String?) {
        var params = end
        params.session = name
        sink?.write { writer in
            writer.raw("{\"jsonrpc\":\"2.0\",\"method\":\"session.closed\",\"params\":")
            // Strings can always be encoded.
            try? writer.encode(params)
            writer.raw("}")
        }
    }

    /// Sends a notification of a session on another loop, which ends with a line feed.
    ///
    /// A notification from a former attachment is dropped.
    func forward(_ line: [UInt8], from sender: LoopConfined<Attachment>) {
        guard !isClosed, let attachment, attachment.isSame(as: sender), let sink else { return }
        sink.write(line: line)
        if sink.isReady { sender.run { $0.creditReturned(line.count) } } else { unaccepted += line.count }
    }
}

/// Inspection for test kits, which run a peer themselves.
extension RPCPeer {
    /// The graph of the client's session, which must be on this loop.
    package var graph: Graph { core.graph }

    /// Returns the author's object of an instance, or nil.
    ///
    /// A default instance is created by its first mention.
    ///
    /// - Throws: The error that a request with this instance id would get.
    package func viewModel(_ id: String) throws(ProtocolError) -> AnyObject? {
        try core.resolve(id)?.object
    }

    private var core: SessionCore {
        if attachment == nil { attachToOwnSession() }
        guard let localAttachment else { fatalError("the client's session is on another loop") }
        return localAttachment.core
    }
}

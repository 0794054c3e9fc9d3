import CoreMetrics
import ViewModelKit
import ViewModelProtocol

/// A request or notification, borrowed from its message while it is dispatched.
///
/// It is passed on without a copy, which would retain the id and the batch at each call.
struct Request: ~Copyable {
    /// The id; nil for a notification.
    let id: RequestID?
    let method: Bytes
    /// The verified JSON text of the params.
    let params: Bytes?
    /// The batch that contains the request, and the index of its entry.
    var entry: (batch: Batch, index: Int)?
    /// The pending reply of a request that came from another loop.
    var pending: LoopConfined<PendingReply>?

    /// Returns the pending reply of a call that is answered later.
    ///
    /// The caller is on the session's loop.
    func pendingReply(from attachment: Attachment) -> LoopConfined<PendingReply> {
        pending ?? attachment.peer.value.pendingReply(to: self)
    }
}

/// The dispatch of a method to its handler.
///
/// A handler returns its reply. If the reply comes later, the handler returns nil, and completes a ``PendingReply``.
extension RPCPeer {
    /// Dispatches one request, or a notification if `id` is nil.
    func dispatch(
        _ envelope: Envelope,
        in message: Bytes,
        id: RequestID?,
        entry: (batch: Batch, index: Int)? = nil
    ) -> Reply? {
        let params = envelope.params.map { message.part($0) }
        guard envelope.methodHasEscapes else {
            return dispatch(Request(id: id, method: message.part(envelope.method), params: params, entry: entry))
        }
        var method = JSONText.string(message.part(envelope.method))
        return method.withUTF8 { dispatch(Request(id: id, method: Bytes($0), params: params, entry: entry)) }
    }

    private func dispatch(_ request: borrowing Request) -> Reply? {
        let reply: Reply?
        do throws(ProtocolError) {
            reply = try handle(request)
        } catch {
            reply = .error(error)
        }
        if case .error(let error) = reply { logError(error, of: String(decoding: request.method, as: UTF8.self)) }
        return reply
    }

    private func handle(_ request: borrowing Request) throws(ProtocolError) -> Reply? {
        let method = request.method
        let dot = method.lastIndex(of: UInt8(ascii: "."))
        // No method of the protocol begins with the id of an instance, so most calls need no second look-up.
        let instance = dot.flatMap { localAttachment?.core.instancesByID.find(method.part(0..<$0)) }
        let own = instance == nil ? ProtocolMethods.table.find(method) : nil
        // A stopping daemon still cancels running work, but starts no new work.
        if host.isStopping, !method.elementsEqual(CancelRequest.name.utf8) { throw .shuttingDown }
        // A connection without a user has this scope, too.
        if case .observe = identity.scope { try checkPermission(request, own?.method.type) }
        if let own {
            host.counters.methods[own.index].increment()
            turn?.readClockSoon()
            let params = ParamsReader(request.params)
            // The options have no effect on a method of the protocol, but they must be valid.
            _ = try params.readMeta()
            // The method only returns something, and a notification has no reply.
            if own.method.isQuery, request.id == nil { return .null }
            return try own.method.carryOut(self, params, request)
        }
        guard let dot else { throw unknown(method, isAwaited: request.id != nil) }
        return try call(request, dot: dot, of: instance)
    }

    /// Makes the pending reply of a request or notification.
    ///
    /// It occupies the request's id until it is completed.
    func pendingReply(to request: borrowing Request) -> LoopConfined<PendingReply> {
        let pending = PendingReply(self, id: request.id, entry: request.entry, method: request.method)
        if let id = request.id { add(pending, for: id) }
        return LoopConfined(pending, on: loop)
    }

    /// Returns the error for a method without a dot that is not one of the protocol's own.
    private func unknown(_ method: Bytes, isAwaited: Bool) -> ProtocolError {
        let name = String(decoding: method, as: UTF8.self)
        guard isAwaited else { return .methodNotFound(instance: nil, member: name) }
        let known = Suggestions.close(to: name, among: ProtocolMethods.names + host.typeOrder.map(\.name))
        let hint = host.types[ExactString(name)].map { Self.hint(forInstance: $0.name) }
        return .methodNotFound(instance: nil, member: name, suggestions: known, hint: hint)
    }

    private func call(_ request: borrowing Request, dot: Int, of instance: Instance?) throws(ProtocolError) -> Reply? {
        if endedSession != nil {
            let instance = String(decoding: request.method.part(0..<dot), as: UTF8.self)
            let member = String(decoding: request.method.part(dot + 1..<request.method.count), as: UTF8.self)
            if let unknown = ProtocolMethods.unknown(instance, member) { throw unknown }
        }
        try requireSession()
        if let local = localAttachment { return local.core.call(request, dot: dot, of: instance, from: local) }
        callAcross(request, dot: dot)
        return nil
    }

    /// Calls a member in a session on another loop.
    ///
    /// The call and its reply each hop to the other loop.
    private func callAcross(_ request: borrowing Request, dot: Int) {
        let (id, method) = (request.id, Array(request.method))
        let params = request.params.map { Array($0) } ?? Array("{}".utf8)
        inOtherLoop(request) { attachment, pending in
            method.withUnsafeBytes { method in
                params.withUnsafeBytes { params in
                    let request = Request(id: id, method: method, params: params, pending: pending)
                    return attachment.core.call(request, dot: dot, of: nil, from: attachment)
                }
            }
        }
    }

    /// Carries out a method of the protocol in the session, which may be on another loop.
    func inSession(
        _ request: borrowing Request,
        _ body: @escaping @Sendable (Attachment) throws(ProtocolError) -> Reply
    ) throws(ProtocolError) -> Reply? {
        let isAwaited = request.id != nil
        let reply = { @Sendable (attachment: Attachment) -> Reply in
            attachment.core.isAwaited = isAwaited
            do throws(ProtocolError) {
                return try body(attachment)
            } catch {
                return .error(error)
            }
        }
        try requireSession()
        if let local = localAttachment { return reply(local) }
        inOtherLoop(request) { attachment, _ in reply(attachment) }
        return nil
    }

    /// Runs `body` on the loop of the session.
    ///
    /// `body` returns the reply, or nil if it completes the pending reply later.
    private func inOtherLoop(
        _ request: borrowing Request,
        _ body: @escaping @Sendable (Attachment, LoopConfined<PendingReply>) -> Reply?
    ) {
        let pending = pendingReply(to: request)
        attachment?.run { attachment in
            // Only a call from another loop can meet an ended session.
            if let outcome = attachment.core.endOutcome { return pending.complete(Reply(outcome)) }
            if let reply = body(attachment, pending) { pending.complete(reply) }
        }
    }
}

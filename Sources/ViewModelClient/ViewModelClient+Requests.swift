import NIOCore
import ViewModelProtocol

extension ViewModelClient {
    /// Sends a request and returns the JSON text of its result.
    ///
    /// The call waits while the client has no connection. If the task is cancelled or the timeout passes, the client
    /// sends `$/cancelRequest` and the call ends at once.
    ///
    /// - Parameters:
    ///   - method: The method's name.
    ///   - params: The JSON text of an object or an array, or nil for no params.
    ///   - timeout: The timeout of the call. Without one a method of the protocol has ``ClientOptions/timeout``, and a
    ///     member of an instance, which may be an action, has none.
    ///   - isKeyed: Whether the params have a retry key. The call is then repeated after a reconnection.
    /// - Returns: The JSON text of the result.
    /// - Throws: ``ClientError``, `CancellationError`.
    public func request(
        _ method: String,
        params: [UInt8]? = nil,
        timeout: Duration? = nil,
        isKeyed: Bool = false
    ) async throws -> [UInt8] {
        let limit = timeout ?? timeLimit(of: method)
        return try await TimeLimit.run(limit, method) { try await self.reply(to: method, params, isKeyed: isKeyed) }
    }

    /// Returns the timeout of a method of the protocol; nil for a member of an instance, which may be an action.
    func timeLimit(of method: String) -> Duration? {
        InstanceID.reserved.contains { method.hasPrefix($0 + ".") } ? options.timeout : nil
    }

    /// Sends a request and waits for its reply without a timeout.
    ///
    /// A call with `session` moves the client to that session.
    func reply(
        to method: String,
        _ params: [UInt8]?,
        isKeyed: Bool = false,
        movingTo session: SessionAttach.Params? = nil
    ) async throws -> [UInt8] {
        try await connected()
        // The bindings of later requests belong to the new session.
        let move = session.map { (params: $0, bindings: liveBindings()) }
        sendTyped()
        let id = pending.nextID()
        let line = OutgoingLine.message(id: id, method: method, params: params)
        if let tooLarge = messageTooLarge(line) { throw tooLarge }
        do {
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let answer = { (result: Result<[UInt8], any Error>) in continuation.resume(with: result) }
                    pending.add(id, .call(answer, move), bytes: line.count, repeating: line, isKeyed: isKeyed)
                    write(line)
                }
            } onCancel: {
                later { $0.abandon(id) }
            }
        } catch var error as ClientError where error.code == .refused {
            error.method = method
            throw error
        }
    }

    /// Sends an input or an action without waiting, in the order of these calls, and calls a closure at its end.
    ///
    /// Without a connection it is refused at once. ``cancelPost(_:)`` cancels it by its token.
    nonisolated func post(
        _ member: String,
        _ value: some Encodable,
        token: Int = ClientToken.next(),
        _ done: @escaping @MainActor (ClientError?) -> Void
    ) {
        let answer: @Sendable (Result<[UInt8], any Error>) -> Void = { result in
            var failure: (any Error)?
            if case .failure(let error) = result { failure = error }
            let error = failure as? ClientError
            Task { @MainActor in done(error) }
        }
        do {
            let params = try MemberParams.encode(value, meta: nil)
            later { $0.post(token, member, params, answer) }
        } catch {
            answer(.failure(error))
        }
    }

    private func post(
        _ token: Int,
        _ method: String,
        _ params: [UInt8],
        _ answer: @escaping @Sendable (Result<[UInt8], any Error>) -> Void
    ) {
        guard channel != nil, !isBetweenSessions else { return answer(.failure(ending ?? .offline(socket: socket))) }
        sendTyped()
        let id = pending.nextID()
        let line = OutgoingLine.message(id: id, method: method, params: params)
        if let tooLarge = messageTooLarge(line) { return answer(.failure(tooLarge)) }
        posts[token] = id
        let answer = { [weak self] (result: Result<[UInt8], any Error>) in
            self?.assumeIsolated { $0.posts[token] = nil }
            answer(result)
        }
        pending.add(id, .call(answer, nil), bytes: line.count, repeating: line, isKeyed: false)
        write(line)
    }

    /// Cancels a posted call.
    nonisolated func cancelPost(_ token: Int) {
        later { client in
            if let id = client.posts[token] { client.abandon(id) }
        }
    }

    /// Sends a notification, which gets no reply.
    ///
    /// The call waits while the client has no connection.
    ///
    /// - Parameters:
    ///   - method: The method's name.
    ///   - params: The JSON text of an object or an array, or nil for no params.
    /// - Throws: ``ClientError``, `CancellationError`.
    public func notify(_ method: String, params: [UInt8]? = nil) async throws {
        try await connected()
        write(OutgoingLine.message(method: method, params: params))
    }

    /// Waits for a connection that is attached to the client's session.
    func connected() async throws {
        try Task.checkCancellation()
        while true {
            if let ending { throw ending }
            if channel != nil, !isBetweenSessions { return }
            try await waitForConnection()
            try Task.checkCancellation()
        }
    }

    /// Waits until the client is connected or the task is cancelled.
    private func waitForConnection() async throws {
        let token = ClientToken.next()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { queue[token] = $0 }
        } onCancel: {
            later { $0.queue.removeValue(forKey: token)?.resume(throwing: CancellationError()) }
        }
    }

    /// Sends a request of the client itself.
    ///
    /// Without a connection it has no effect.
    func send<Method: ProtocolMethod>(_ method: Method.Type, _ params: Method.Params, _ waiter: Waiter) {
        guard let params = try? JSONWriter.text(of: params) else {
            return assertionFailure("The params of \(Method.name) are always JSON")
        }
        send(Method.name, params, waiter)
    }

    /// Sends a request of the client itself.
    ///
    /// Without a connection it has no effect. If the reply does not come in time, the connection is regarded as broken.
    func send(_ method: String, _ params: [UInt8]?, _ waiter: Waiter) {
        guard channel != nil else { return }
        let id = pending.nextID()
        let line = OutgoingLine.message(id: id, method: method, params: params)
        if let reply = messageTooLarge(line)?.reply { return refuse(waiter, reply) }
        pending.add(id, waiter, bytes: line.count)
        write(line)
        guard let limit = options.timeout else { return }
        let generation = generation
        eventLoop.scheduleTask(in: TimeAmount(limit)) {
            self.assumeIsolated { $0.expire(id, generation, method) }
        }
    }

    /// Ends a connection on which the client's own request has no reply in time.
    ///
    /// A client that was never attached, and a binding that never had a picture, fail instead.
    private func expire(_ id: Int, _ generation: Int, _ method: String) {
        guard generation == self.generation, let channel, let waiter = pending.remove(id) else { return }
        let error = ClientError.timedOut(method, after: options.timeout ?? .zero)
        switch waiter {
        case .attach where attachment == nil && !isPatient: end(error)
        case .binding(let versions, _) where versions.keys.contains { bindings[$0]?.picture == nil }:
            refuseBinding(versions, error)
        default: channel.close(promise: nil)
        }
    }

    /// Returns the error for a line that the daemon would not read; nil for any other line.
    private func messageTooLarge(_ line: [UInt8]) -> ClientError? {
        guard let limit = longestMessage, line.count > limit else { return nil }
        return ClientError(
            code: .refused,
            message: "The message has \(line.count) bytes, and the daemon reads at most \(limit)",
            remedy: "Send less, or raise limits.messageBytes of the daemon",
            reply: .messageTooLarge(limit: limit)
        )
    }

    func write(_ line: [UInt8]) {
        guard let channel else { return }
        options.trace?(.sent, line)
        var buffer = channel.allocator.buffer(capacity: line.count + 1)
        buffer.writeBytes(line)
        buffer.writeInteger(UInt8(ascii: "\n"))
        channel.writeAndFlush(buffer, promise: nil)
    }

    /// Cancels a request whose caller was cancelled.
    private func abandon(_ id: Int) {
        guard case .call(let answer, _)? = pending.remove(id) else { return }
        let params = CancelRequest.Params(id: .number(String(id)))
        write(OutgoingLine.message(method: CancelRequest.name, params: try? JSONWriter.text(of: params)))
        answer(.failure(CancellationError()))
    }
}

extension ViewModelClient {
    /// Handles a line from the connection with a generation.
    func received(_ line: [UInt8], _ generation: Int) {
        guard generation == self.generation, ending == nil else { return }
        options.trace?(.received, line)
        switch IncomingLine(line) {
        case .result(let id, let bytes): answer(id, bytes)
        case .failure(let id, let error) where error.code == .sessionEnded && options.reconnects:
            refuseAfterEnd(id, error)
        case .failure(let id, let error): refuse(pending.remove(id), error)
        // The daemon could not read a request, or it refuses the connection.
        case .unattributedError(let error):
            unattributedError = error
            if let waiter = pending.removeCause(of: error) { refuse(waiter, error) }
        // An unreadable notification is ignored.
        case .notification(let method, let params): try? notified(method, params)
        case .ignored: break
        }
    }

    private func answer(_ id: Int, _ result: [UInt8]) {
        // A daemon that does not refuse calls after the end of a session runs them in an anonymous one.
        if let sessionEnd, !sessionEnd.has(reason: .stopping) { return }
        switch pending.remove(id) {
        case .call(let answer, let move):
            if let move { moved(move, result) }
            answer(.success(result))
        case .binding(let versions, let params): beginBinding(versions, result, params)
        case .attach: attached(result)
        case .field(let token): fieldAnswered(token, result)
        case .fieldOutput(let token): fieldOutput(token, result)
        case .ignored, nil: break
        }
    }

    /// Handles a refusal because the session has ended: the request did not run.
    ///
    /// The next connection sends a call again. It binds again, and it sends the values of fields again.
    private func refuseAfterEnd(_ id: Int, _ error: ProtocolError) {
        if !pending.keepRefused(id), case .field(let token) = pending.remove(id) {
            fields[token]?.apply { $0.postponed() }
        }
        var end = SessionEnd(session: error.data?["session"]?.stringValue, reason: .closed)
        if let reason = error.data?["reason"]?.stringValue { end.reason = reason }
        sessionClosed(end)
    }

    private func refuse(_ waiter: Waiter?, _ error: ProtocolError) {
        let isTemporary = error.code == .shuttingDown && options.reconnects
        switch waiter {
        // The daemon closes the connection next. Another one attaches and binds again.
        case .binding where isTemporary, .attach where isTemporary: break
        case .call(let answer, _): answer(.failure(ClientError.refused(error)))
        case .binding(let versions, _): refuseBinding(versions, .refused(error))
        case .attach: end(.refused(error))
        case .field(let token): fieldRefused(token, error)
        case .fieldOutput(let token): fieldOutput(token, nil)
        case .ignored, nil: break
        }
    }

    private func notified(_ method: String, _ params: [UInt8]) throws(ClientError) {
        switch method {
        case ViewModelChanged.name: followFrame(try Self.decode(ViewModelChanged.Params.self, params, of: method))
        case ViewModelClosed.name:
            let id = try Self.decode(ViewModelClosed.Params.self, params, of: method).id
            report(.instanceClosed(id: id))
            openedInstances[id] = nil
            for token in liveBindings(of: id) { endBinding(token, nil) }
        case SessionClosed.name: sessionClosed(try Self.decode(SessionEnd.self, params, of: method))
        default: break
        }
    }

    /// Returns the JSON text of a value; throws ``ClientError/Code-swift.struct/unsendable`` if it cannot be encoded.
    static func text(of value: some Encodable) throws(ClientError) -> [UInt8] {
        do {
            return try JSONWriter.text(of: value)
        } catch {
            throw ClientError(code: .unsendable, message: "The value cannot be written as JSON: \(error)")
        }
    }

    static func decode<Value: Decodable>(
        _ type: Value.Type,
        _ bytes: [UInt8],
        of method: String
    ) throws(ClientError) -> Value {
        do {
            return try IncomingLine.decode(type, bytes)
        } catch {
            throw .unexpectedReply(to: method, error)
        }
    }
}

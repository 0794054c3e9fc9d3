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
    ///   - timeout: The timeout of the call, or nil for ``ClientOptions/timeout``.
    /// - Returns: The JSON text of the result.
    /// - Throws: ``ClientError``, `CancellationError`.
    public func request(
        _ method: String,
        params: [UInt8]? = nil,
        timeout: Duration? = nil
    ) async throws -> [UInt8] {
        guard let limit = timeout ?? options.timeout else { return try await reply(to: method, params) }
        return try await withThrowingTaskGroup(of: [UInt8]?.self) { group in
            group.addTask { try await self.reply(to: method, params) }
            group.addTask {
                try await Task.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            guard let first = try await group.next(), let result = first else {
                throw ClientError.timedOut(method, after: limit)
            }
            return result
        }
    }

    /// Sends a request and waits for its reply without a timeout.
    private func reply(to method: String, _ params: [UInt8]?) async throws -> [UInt8] {
        try await connected()
        let id = pending.nextID()
        let line = OutgoingLine.request(id: id, method: method, params: params)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                pending.add(id, .call(continuation), bytes: line.count)
                write(line)
            }
        } onCancel: {
            later { $0.abandon(id) }
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
        write(OutgoingLine.notification(method: method, params: params))
    }

    /// Waits for a connection.
    private func connected() async throws {
        try Task.checkCancellation()
        while true {
            switch state {
            case .up: return
            case .ended(let error): throw error
            case .down: try await waitForConnection()
            }
            try Task.checkCancellation()
        }
    }

    /// Waits until the client is connected or the task is cancelled.
    private func waitForConnection() async throws {
        let token = nextToken()
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
        guard case .up = state else { return }
        guard let params = try? JSONWriter.text(of: params) else {
            return assertionFailure("The params of \(Method.name) are always JSON")
        }
        let id = pending.nextID()
        let line = OutgoingLine.request(id: id, method: Method.name, params: params)
        pending.add(id, waiter, bytes: line.count)
        write(line)
    }

    private func write(_ line: [UInt8]) {
        guard case .up(let channel) = state else { return }
        options.trace?(.sent, line)
        var buffer = channel.allocator.buffer(capacity: line.count + 1)
        buffer.writeBytes(line)
        buffer.writeInteger(UInt8(ascii: "\n"))
        channel.writeAndFlush(buffer, promise: nil)
    }

    /// Cancels a request whose caller was cancelled.
    private func abandon(_ id: Int) {
        guard case .call(let continuation) = pending.remove(id) else { return }
        let params = CancelRequest.Params(id: .number(String(id)))
        write(OutgoingLine.notification(method: CancelRequest.name, params: try? JSONWriter.text(of: params)))
        continuation.resume(throwing: CancellationError())
    }
}

extension ViewModelClient {
    /// Handles a line from the connection with a generation.
    func received(_ line: [UInt8], _ generation: Int) {
        guard generation == self.generation else { return }
        if case .ended = state { return }
        options.trace?(.received, line)
        let meaning = IncomingLine(line)
        if meaning.isFromService { backoff = nil }
        switch meaning {
        case .result(let id, let bytes): answer(id, bytes)
        case .failure(let id, let error): refuse(pending.remove(id), error)
        case .unattributedError(let error): handle(error)
        case .notification(let method, let params): notified(method, params)
        case .ignored: break
        }
    }

    private func answer(_ id: Int, _ result: [UInt8]) {
        switch pending.remove(id) {
        case .call(let continuation): continuation.resume(returning: result)
        case .binding(let token): beginBinding(token, result)
        case .attach, .ignored, nil: break
        }
    }

    private func refuse(_ waiter: Waiter?, _ error: ProtocolError) {
        switch waiter {
        case .call(let continuation): continuation.resume(throwing: ClientError.refused(error))
        case .binding(let token): endBinding(token, ClientError.refused(error))
        case .attach: end(.refused(error))
        case .ignored, nil: break
        }
    }

    /// Handles an error without an id: the daemon could not read a request, or it refuses the connection.
    private func handle(_ error: ProtocolError) {
        unattributedError = error
        if let waiter = pending.removeCause(of: error) { refuse(waiter, error) }
    }

    private func notified(_ method: String, _ params: [UInt8]) {
        switch method {
        case ViewModelChanged.name:
            guard let frame = try? decode(ViewModelChanged.Params.self, params, of: method) else { return }
            followFrame(frame)
        case ViewModelClosed.name:
            guard let notice = try? decode(ViewModelClosed.Params.self, params, of: method),
                let token = tokens[notice.id]
            else { return }
            endBinding(token, nil)
        case SessionClosed.name:
            guard let notice = try? decode(SessionClosed.Params.self, params, of: method) else { return }
            sessionClosed(notice)
        default: break
        }
    }

    /// Handles the end of the session.
    ///
    /// It ends the session's bindings, unless the daemon stops.
    ///
    /// After `stopping` the daemon closes the connection, and the client attaches to the session again when it
    /// reconnects.
    private func sessionClosed(_ notice: SessionClosed.Params) {
        guard notice.reason != .stopping else { return }
        sessionParams = nil
        for token in tokens.values { endBinding(token, ClientError.sessionClosed(notice)) }
    }

    /// Returns the JSON text of a value; throws ``ClientError/Code-swift.struct/unsendable`` if it cannot be encoded.
    static func text(of value: some Encodable) throws(ClientError) -> [UInt8] {
        do {
            return try JSONWriter.text(of: value)
        } catch {
            throw ClientError(code: .unsendable, message: "The value cannot be written as JSON: \(error)")
        }
    }

    /// Decodes a value from the daemon.
    nonisolated func decode<Value: Decodable>(
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

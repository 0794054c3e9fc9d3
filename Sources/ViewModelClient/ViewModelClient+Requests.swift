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
            switch link {
            case .up: return
            case .ended(let error): throw error
            case .down: try await lineUp()
            }
            try Task.checkCancellation()
        }
    }

    /// Waits until the client is connected or the task is cancelled.
    private func lineUp() async throws {
        let place = nextToken()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { queue[place] = $0 }
        } onCancel: {
            later { $0.queue.removeValue(forKey: place)?.resume(throwing: CancellationError()) }
        }
    }

    /// Sends a request of the client itself.
    ///
    /// Without a connection it has no effect.
    func send<Method: ProtocolMethod>(_ method: Method.Type, _ params: Method.Params, _ waiter: Waiter) {
        guard case .up = link else { return }
        guard let params = try? JSONWriter.text(of: params) else {
            return assertionFailure("The params of \(Method.name) are always JSON")
        }
        let id = pending.nextID()
        let line = OutgoingLine.request(id: id, method: Method.name, params: params)
        pending.add(id, waiter, bytes: line.count)
        write(line)
    }

    private func write(_ line: [UInt8]) {
        guard case .up(let channel) = link else { return }
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

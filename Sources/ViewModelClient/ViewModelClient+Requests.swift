import NIOCore
import ViewModelProtocol

extension ViewModelClient {
    /// Sends a request and returns the raw text of its result.
    ///
    /// Waits while there is no connection. When the task is cancelled, or the time is over, the daemon is asked to
    /// cancel the request (`$/cancelRequest`) and the call ends at once.
    ///
    /// - Parameters:
    ///   - method: The method's name.
    ///   - params: JSON text, an object or an array; nil for none.
    ///   - timeout: How long the call may take; nil for what ``ClientOptions/timeout`` says.
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

    /// Sends a request and waits for its reply as long as it takes.
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

    /// Sends a notification: the daemon does it and says nothing.
    ///
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

    /// Waits until there is a connection, or the task is cancelled.
    private func lineUp() async throws {
        let place = nextToken()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { queue[place] = $0 }
        } onCancel: {
            later { $0.queue.removeValue(forKey: place)?.resume(throwing: CancellationError()) }
        }
    }

    /// Sends a request of the client's own, where there is a connection.
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

    /// Gives a request up because its caller was cancelled.
    private func abandon(_ id: Int) {
        guard case .call(let continuation) = pending.remove(id) else { return }
        let params = CancelRequest.Params(id: .number(String(id)))
        write(OutgoingLine.notification(method: CancelRequest.name, params: try? JSONWriter.text(of: params)))
        continuation.resume(throwing: CancellationError())
    }
}

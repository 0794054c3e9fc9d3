import NIOCore

extension EventLoop {
    /// Returns what a task returns, or nil if that takes longer; the task goes on.
    func value<Value: Sendable>(
        within time: TimeAmount,
        _ task: @escaping @Sendable () async -> Value
    ) async -> Value? {
        let value = makePromise(of: Value?.self)
        value.completeWithTask(task)
        let limit = scheduleTask(in: time) { value.succeed(nil) }
        defer { limit.cancel() }
        return try? await value.futureResult.get()
    }
}

/// A reply that waits for an answer, and hears of the client's end.
///
/// Isolation: confined to the gateway's event loop.
final class ClientWatch: ReplyStream {
    private(set) var hasStopped = false

    func stop() {
        hasStopped = true
    }
}

/// A reply that waits for a task, such as a question to the provider.
///
/// Isolation: confined to the gateway's event loop.
final class AsyncReply<Answer: Sendable>: ReplyStream {
    private var reply: ((HTTPConnection, Result<Answer, any Error>) -> Void)?

    /// Runs the task, and replies with its result unless the client has gone; `always` runs in any case.
    init(
        on connection: HTTPConnection,
        always: @escaping () -> Void = {},
        _ task: @escaping @Sendable () async throws -> Answer,
        reply: @escaping (HTTPConnection, Result<Answer, any Error>) -> Void
    ) {
        self.reply = reply
        let future = connection.gateway.eventLoop.makeFutureWithTask(task)
        future.assumeIsolated().whenComplete { [weak connection] result in
            always()
            guard let connection, let reply = self.reply.take() else { return }
            reply(connection, result)
        }
    }

    func stop() {
        reply = nil
    }
}

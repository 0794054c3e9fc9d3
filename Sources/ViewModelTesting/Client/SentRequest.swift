/// A request that a client has sent.
public struct SentRequest {
    /// The client that sent it.
    package let client: TestClient
    /// The request's id.
    public let id: JSONValue
    /// The method that was called.
    public let method: String

    /// The outcome of the reply, or nil before its arrival.
    public var answer: Result<JSONValue, ProtocolError>? {
        client.received.lazy.compactMap { $0.answer(to: id) }.first
    }

    /// The error of the reply, or nil.
    public var error: ProtocolError? {
        if case .failure(let error) = answer { error } else { nil }
    }

    /// The result of the reply, or nil.
    public var result: JSONValue? {
        if case .success(let value) = answer { value } else { nil }
    }

    /// Cancels the request, as `$/cancelRequest` does.
    public func cancel() {
        client.notify(CancelRequest.name, ["id": id])
    }

    /// Waits for work outside of the session until the request has its reply.
    ///
    /// - Returns: the result.
    /// - Throws: `ProtocolError` when the reply is an error, or `CancellationError` when the test is cancelled.
    public func result() async throws -> JSONValue {
        while true {
            if let answer { return try answer.get() }
            try await client.loop.waitForWork()
        }
    }
}

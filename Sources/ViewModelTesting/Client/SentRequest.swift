/// A request that a client has sent.
public struct SentRequest {
    let client: TestClient
    /// Who sent it.
    package var sender: TestClient { client }
    /// The request's id.
    public let id: JSONValue
    /// The method that was called.
    public let method: String

    /// The answer, nil as long as there is none.
    public var answer: Result<JSONValue, ProtocolError>? {
        for message in client.received {
            if let answer = message.answer(to: id) { return answer }
        }
        return nil
    }

    /// The error that the request was answered with, nil where it was not.
    public var error: ProtocolError? {
        if case .failure(let error) = answer { error } else { nil }
    }

    /// The result that the request was answered with, nil where it was not.
    public var result: JSONValue? {
        if case .success(let value) = answer { value } else { nil }
    }

    /// Cancels the request, as `$/cancelRequest` does.
    public func cancel() {
        client.notify(CancelRequest.name, ["id": id])
    }

    /// Waits until the request is answered, while work goes on outside of the session.
    ///
    /// - Throws: `ProtocolError`, the answer; `CancellationError` when the test is cancelled.
    public func result() async throws -> JSONValue {
        while true {
            if let answer { return try answer.get() }
            try await client.loop.handOver()
        }
    }
}

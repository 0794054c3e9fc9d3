public import ViewModelProtocol

extension ViewModelClient {
    /// Hands an input a value, for example `send(input: "keypad.press", "7")`.
    ///
    /// A value that is an object on the wire is sent member by member, any other as `{"value": …}`. An input that takes
    /// any JSON wants its objects wrapped: `send(input: "lab.echo", ["value": object])`.
    ///
    /// - Returns: The step after which the input's immediate effects are visible.
    /// - Throws: ``ClientError``, `CancellationError`.
    @discardableResult
    public func send(input: String, _ value: some Encodable & Sendable) async throws -> Int {
        try await call(input, try MemberParams.encode(value, meta: nil), as: InputReply.self).seq
    }

    /// Triggers an input that takes no value.
    ///
    /// - Returns: The step after which the input's immediate effects are visible.
    /// - Throws: ``ClientError``, `CancellationError`.
    @discardableResult
    public func send(input: String) async throws -> Int {
        try await call(input, nil, as: InputReply.self).seq
    }

    /// Runs an action and waits for its result.
    ///
    /// - Parameters:
    ///   - action: The action, for example `login.submit`.
    ///   - value: What the action takes; see ``send(input:_:)`` for how it is sent.
    ///   - meta: The call's deadline and its key for safe retries.
    ///   - type: The type of the result.
    /// - Throws: ``ClientError``, `CancellationError`.
    public func run<Result: Decodable & Sendable>(
        action: String,
        _ value: some Encodable & Sendable,
        meta: Meta? = nil,
        returning type: Result.Type
    ) async throws -> Result {
        try await call(action, try MemberParams.encode(value, meta: meta), as: type)
    }

    /// Runs an action that takes a value, whatever it returns.
    ///
    /// - Throws: ``ClientError``, `CancellationError`.
    @discardableResult
    public func run(
        action: String,
        _ value: some Encodable & Sendable,
        meta: Meta? = nil
    ) async throws -> JSONValue {
        try await run(action: action, value, meta: meta, returning: JSONValue.self)
    }

    /// Runs an action that takes no value and waits for its result.
    ///
    /// - Throws: ``ClientError``, `CancellationError`.
    public func run<Result: Decodable & Sendable>(
        action: String,
        meta: Meta? = nil,
        returning type: Result.Type
    ) async throws -> Result {
        try await run(action: action, NoParams(), meta: meta, returning: type)
    }

    /// Runs an action that takes no value, whatever it returns.
    ///
    /// - Throws: ``ClientError``, `CancellationError`.
    @discardableResult
    public func run(action: String, meta: Meta? = nil) async throws -> JSONValue {
        try await run(action: action, NoParams(), meta: meta, returning: JSONValue.self)
    }

    private func call<Reply: Decodable & Sendable>(
        _ method: String,
        _ params: [UInt8]?,
        as type: Reply.Type
    ) async throws -> Reply {
        try decode(type, try await request(method, params: params), of: method)
    }
}

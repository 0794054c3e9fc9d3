public import ViewModelProtocol

extension ViewModelClient {
    /// Sends a value to an input, for example `send(input: "keypad.press", "7")`.
    ///
    /// The members of an object are the params. Any other value is sent as `{"value": …}`. An object for an input that
    /// accepts any JSON must be wrapped: `send(input: "lab.echo", ["value": object])`.
    ///
    /// - Parameters:
    ///   - input: The input, for example `keypad.press`.
    ///   - value: The value.
    /// - Returns: The step from which on the input's immediate effects are visible.
    /// - Throws: ``ClientError``, `CancellationError`.
    @discardableResult
    public func send(input: String, _ value: some Encodable & Sendable) async throws -> Int {
        try await call(input, try MemberParams.encode(value, meta: nil), as: InputReply.self).seq
    }

    /// Triggers an input that has no value.
    ///
    /// - Parameter input: The input, for example `mine.header.select`.
    /// - Returns: The step from which on the input's immediate effects are visible.
    /// - Throws: ``ClientError``, `CancellationError`.
    @discardableResult
    public func send(input: String) async throws -> Int {
        try await call(input, nil, as: InputReply.self).seq
    }

    /// Runs an action and waits for its result.
    ///
    /// - Parameters:
    ///   - action: The action, for example `login.submit`.
    ///   - value: The action's value, encoded as in ``send(input:_:)``.
    ///   - meta: The call's deadline and retry key.
    ///   - type: The type of the result.
    /// - Returns: The result.
    /// - Throws: ``ClientError``, `CancellationError`.
    public func run<Result: Decodable & Sendable>(
        action: String,
        _ value: some Encodable & Sendable,
        meta: Meta? = nil,
        returning type: Result.Type
    ) async throws -> Result {
        try await call(action, try MemberParams.encode(value, meta: meta), as: type)
    }

    /// Runs an action with a value, and returns its result as JSON.
    ///
    /// - Parameters:
    ///   - action: The action, for example `login.submit`.
    ///   - value: The action's value, encoded as in ``send(input:_:)``.
    ///   - meta: The call's deadline and retry key.
    /// - Returns: The result.
    /// - Throws: ``ClientError``, `CancellationError`.
    @discardableResult
    public func run(
        action: String,
        _ value: some Encodable & Sendable,
        meta: Meta? = nil
    ) async throws -> JSONValue {
        try await run(action: action, value, meta: meta, returning: JSONValue.self)
    }

    /// Runs an action without a value and waits for its result.
    ///
    /// - Parameters:
    ///   - action: The action, for example `login.submit`.
    ///   - meta: The call's deadline and retry key.
    ///   - type: The type of the result.
    /// - Returns: The result.
    /// - Throws: ``ClientError``, `CancellationError`.
    public func run<Result: Decodable & Sendable>(
        action: String,
        meta: Meta? = nil,
        returning type: Result.Type
    ) async throws -> Result {
        try await run(action: action, NoParams(), meta: meta, returning: type)
    }

    /// Runs an action without a value, and returns its result as JSON.
    ///
    /// - Parameters:
    ///   - action: The action, for example `login.submit`.
    ///   - meta: The call's deadline and retry key.
    /// - Returns: The result.
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

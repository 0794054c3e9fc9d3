public import ViewModelProtocol

extension ViewModelClient {
    /// Connects, and attaches to the session in the options.
    func start() async throws {
        try await connect()
        if let session = options.session { _ = try await call(SessionAttach.self, session) }
    }

    /// Calls a method of the protocol.
    ///
    /// After a call of `SessionAttach` the client attaches to the same session again after each reconnection.
    ///
    /// - Parameters:
    ///   - method: The method's type.
    ///   - params: The params.
    /// - Returns: The method's result.
    /// - Throws: ``ClientError``, `CancellationError`.
    public func call<Method: ProtocolMethod>(
        _ method: Method.Type,
        _ params: Method.Params
    ) async throws -> Method.Result {
        let former = tokens.values
        let result = try await request(Method.name, params: try Self.text(of: params))
        let value = try decode(Method.Result.self, result, of: Method.name)
        if let attached = value as? SessionAttach.Result, var attachedParams = params as? SessionAttach.Params {
            attachedParams.session = SessionName(attached.session)
            sessionParams = attachedParams
            for token in former { endBinding(token, nil) }
        }
        return value
    }

    /// Calls a method of the protocol without params.
    ///
    /// - Parameter method: The method's type.
    /// - Returns: The method's result.
    /// - Throws: ``ClientError``, `CancellationError`.
    public func call<Method: ProtocolMethod>(_ method: Method.Type) async throws -> Method.Result
    where Method.Params == NoParams {
        try await call(method, NoParams())
    }

    /// Moves the connection to a session.
    ///
    /// Earlier bindings end.
    ///
    /// - Parameters:
    ///   - session: The session's name, or nil for a random one.
    ///   - linger: The seconds for which the session stays after its last connection has left, or nil for the daemon's
    ///     default.
    /// - Returns: The session.
    /// - Throws: ``ClientError``, `CancellationError`.
    @discardableResult
    public func attach(_ session: SessionName?, linger: Int? = nil) async throws -> SessionAttach.Result {
        var params = options.session ?? SessionAttach.Params()
        (params.session, params.linger) = (session, linger)
        return try await call(SessionAttach.self, params)
    }

    /// Reads the current values of an instance once.
    ///
    /// - Parameters:
    ///   - id: The instance's id.
    ///   - outputs: The outputs' names, or nil for all outputs.
    ///   - windows: The windows, by the names of their lists.
    /// - Returns: The picture.
    /// - Throws: ``ClientError``, `CancellationError`.
    public func read(
        _ id: String,
        outputs: [String]? = nil,
        windows: [String: Window]? = nil
    ) async throws -> Picture {
        Picture(
            try await call(ViewModelRead.self, ViewModelRead.Params(id: id, outputs: outputs, windows: windows))
        )
    }
}

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

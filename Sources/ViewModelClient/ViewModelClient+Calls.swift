public import ViewModelProtocol

extension ViewModelClient {
    /// Calls a method of the protocol.
    ///
    /// `session.attach` moves the connection to a session. Earlier bindings end. The client attaches to the same session
    /// again after each reconnection.
    ///
    /// - Throws: ``ClientError``, `CancellationError`.
    public func call<Method: ProtocolMethod>(
        _ method: Method.Type,
        _ params: Method.Params
    ) async throws -> Method.Result {
        let text = try Self.text(of: params)
        let session = params as? SessionAttach.Params
        let result = try await TimeLimit.run(timeLimit(of: Method.name), Method.name) {
            try await self.reply(to: Method.name, text, movingTo: session)
        }
        return try Self.decode(Method.Result.self, result, of: Method.name)
    }

    /// Calls a method of the protocol without params, as ``call(_:_:)`` calls one with params.
    public func call<Method: ProtocolMethod>(_ method: Method.Type) async throws -> Method.Result
    where Method.Params == NoParams {
        try await call(method, NoParams())
    }

    /// Calls any method by its name, with JSON values.
    ///
    /// - Parameters:
    ///   - method: The method's name.
    ///   - params: The params, an object or an array, or nil for none. They may have the member `_meta`.
    ///   - timeout: The timeout of the call, as in ``request(_:params:timeout:isKeyed:)``.
    /// - Returns: The method's result.
    /// - Throws: ``ClientError``, `CancellationError`.
    @discardableResult
    public func call(_ method: String, _ params: JSONValue? = nil, timeout: Duration? = nil) async throws -> JSONValue {
        let isKeyed = params?[Meta.member]?["key"] != nil
        let result = try await request(method, params: params?.text, timeout: timeout, isKeyed: isKeyed)
        return try Self.decode(JSONValue.self, result, of: method)
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
    /// Sends a value to an input, for example `send(input: "keypad.press", "7")`, or triggers an input without a value.
    ///
    /// The members of an object are the params. Any other value is sent as `{"value": …}`. An object for an input that
    /// accepts any JSON must be wrapped: `send(input: "lab.echo", ["value": object])`.
    ///
    /// - Parameters:
    ///   - input: The input, for example `keypad.press`.
    ///   - value: The value, or `NoParams()` for none.
    ///   - options: The retry key and the time limit of the call. An input ignores a deadline.
    /// - Returns: The step from which on the input's immediate effects are visible.
    /// - Throws: ``ClientError``, `CancellationError`.
    @discardableResult
    public func send(
        input: String,
        _ value: some Encodable & Sendable = NoParams(),
        options: CallOptions = CallOptions()
    ) async throws -> Int {
        try await call(input, value, options, self.options.timeout, as: InputReply.self).seq
    }

    /// Runs an action and waits for its result.
    ///
    /// - Parameters:
    ///   - action: The action, for example `login.submit`.
    ///   - value: The action's value, encoded as in ``send(input:_:options:)``, or `NoParams()` for none.
    ///   - options: The deadline, the retry key and the time limit of the call.
    ///   - type: The type of the result.
    /// - Returns: The result.
    /// - Throws: ``ClientError``, `CancellationError`.
    public func run<Result: Decodable & Sendable>(
        action: String,
        _ value: some Encodable & Sendable = NoParams(),
        options: CallOptions = CallOptions(),
        returning type: Result.Type = Result.self
    ) async throws -> Result {
        try await call(action, value, options, nil, as: type)
    }

    /// Runs an action as ``run(action:_:options:returning:)`` does, and returns its result as JSON.
    @discardableResult
    public func run(
        action: String,
        _ value: some Encodable & Sendable = NoParams(),
        options: CallOptions = CallOptions()
    ) async throws -> JSONValue {
        try await run(action: action, value, options: options, returning: JSONValue.self)
    }

    private func call<Reply: Decodable & Sendable>(
        _ member: String,
        _ value: some Encodable,
        _ options: CallOptions,
        _ limit: Duration?,
        as type: Reply.Type
    ) async throws -> Reply {
        let params = try MemberParams.encode(value, meta: options.meta)
        let (timeout, isKeyed) = (options.timeout ?? limit, options.key != nil)
        return try Self.decode(
            type,
            try await request(member, params: params, timeout: timeout, isKeyed: isKeyed),
            of: member
        )
    }
}

public import ViewModelProtocol

extension ViewModelClient {
    /// Connects, and attaches to the session in the options.
    func start() async throws {
        try await connect()
        if let session = options.session { _ = try await call(SessionAttach.self, session) }
    }

    /// Calls a method of the protocol.
    ///
    /// After a call of ``SessionAttach`` the client attaches to the same session again after each reconnection.
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
        if let attached = value as? SessionAttach.Result, var attachment = params as? SessionAttach.Params {
            attachment.session = SessionName(attached.session)
            self.attachment = attachment
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

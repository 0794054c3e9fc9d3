public import ViewModelProtocol

extension ViewModelClient {
    /// Connects, and attaches to the session that the options name.
    func start() async throws {
        try await connect()
        if let session = options.session { _ = try await call(SessionAttach.self, session) }
    }

    /// Calls a method of the protocol.
    ///
    /// The client remembers a session that it attached to, and attaches to it again after a lost connection.
    ///
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

    /// Calls a method of the protocol that takes no params.
    ///
    /// - Throws: ``ClientError``, `CancellationError`.
    public func call<Method: ProtocolMethod>(_ method: Method.Type) async throws -> Method.Result
    where Method.Params == NoParams {
        try await call(method, NoParams())
    }

    /// Moves the connection to a session; bindings that were begun before end.
    ///
    /// - Parameters:
    ///   - session: The session's name; a random one when nil.
    ///   - linger: The seconds for which the session stays when nobody is attached; the daemon's default when nil.
    /// - Throws: ``ClientError``, `CancellationError`.
    @discardableResult
    public func attach(_ session: SessionName?, linger: Int? = nil) async throws -> SessionAttach.Result {
        var params = options.session ?? SessionAttach.Params()
        (params.session, params.linger) = (session, linger)
        return try await call(SessionAttach.self, params)
    }

    /// Reads the current values of an instance once.
    ///
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

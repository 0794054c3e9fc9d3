public import ViewModelKit

extension Harness {
    /// Calls an action, and returns when its first stretch is done; it may go on.
    ///
    /// - Parameters:
    ///   - key: the retry key.
    ///   - deadline: the virtual time that the caller waits.
    public func start<Parameters: Encodable, Result>(
        _ action: KeyPath<Type, Action<Parameters, Result>>,
        _ parameters: Parameters,
        key: String? = nil,
        deadline: Duration? = nil
    ) throws -> PendingCall<Result> {
        let encoded = try key.map { (name: $0, parameters: try JSONValue(encoding: parameters).text) }
        return start(action, parameters, encodedKey: encoded, deadline)
    }

    /// Calls an action without params, and returns when its first stretch is done; it may go on.
    ///
    /// - Parameters:
    ///   - key: the retry key.
    ///   - deadline: the virtual time that the caller waits.
    public func start<Result>(
        _ action: KeyPath<Type, Action<Void, Result>>,
        key: String? = nil,
        deadline: Duration? = nil
    ) -> PendingCall<Result> {
        start(action, (), encodedKey: key.map { ($0, []) }, deadline)
    }

    private func start<Parameters, Result>(
        _ action: KeyPath<Type, Action<Parameters, Result>>,
        _ parameters: Parameters,
        encodedKey key: (name: String, parameters: [UInt8])?,
        _ deadline: Duration?
    ) -> PendingCall<Result> {
        session.loop.run {
            let action = viewModel[keyPath: action]
            return PendingCall(session, on: action.graph) { caller in
                action.call(parameters, key: key, deadline: deadline.map(\.wholeMilliseconds), caller: caller)
            }
        }
    }

    // MARK: To the end

    /// Runs an action to its end.
    ///
    /// - Returns: its result, as it crosses the wire.
    /// - Throws: `ActionFailure`, `InvalidValue` or ``Refusal``; `.unfinished` when it waits for something.
    @discardableResult
    public func run<Parameters: Encodable, Result: Decodable>(
        _ action: KeyPath<Type, Action<Parameters, Result>>,
        _ parameters: Parameters
    ) throws -> Result {
        try start(action, parameters).result()
    }

    /// Runs an action that has no result to its end.
    ///
    /// - Throws: `ActionFailure`, `InvalidValue` or ``Refusal``; `.unfinished` when it waits for something.
    public func run<Parameters: Encodable>(
        _ action: KeyPath<Type, Action<Parameters, Void>>,
        _ parameters: Parameters
    ) throws {
        try start(action, parameters).result()
    }

    /// Runs an action without params to its end.
    ///
    /// - Returns: its result, as it crosses the wire.
    /// - Throws: `ActionFailure`, `InvalidValue` or ``Refusal``; `.unfinished` when it waits for something.
    @discardableResult
    public func run<Result: Decodable>(_ action: KeyPath<Type, Action<Void, Result>>) throws -> Result {
        try start(action).result()
    }

    /// Runs an action without params and without a result to its end.
    ///
    /// - Throws: `ActionFailure`, `InvalidValue` or ``Refusal``; `.unfinished` when it waits for something.
    public func run(_ action: KeyPath<Type, Action<Void, Void>>) throws {
        try start(action).result()
    }

    // MARK: What clients see of it

    /// Whether clients see the action enabled.
    public func isEnabled<Parameters, Result>(_ action: KeyPath<Type, Action<Parameters, Result>>) throws -> Bool {
        try shown("enabled", of: viewModel[keyPath: action]).decoded()
    }

    /// Whether clients see the action executing.
    public func isExecuting<Parameters, Result>(_ action: KeyPath<Type, Action<Parameters, Result>>) throws -> Bool {
        try shown("executing", of: viewModel[keyPath: action]).decoded()
    }

    /// How far clients see the action, from 0 to 1; nil unless it executes and tells.
    public func progress<Parameters, Result>(_ action: KeyPath<Type, Action<Parameters, Result>>) throws -> Double? {
        try shown("progress", of: viewModel[keyPath: action]).decoded()
    }

    private func shown(_ output: String, of action: AnyAction) throws -> JSONValue {
        let place = try name(of: action)
        return client.picture(of: place.instance)?["\(place.name).\(output)"] ?? .null
    }
}

extension Duration {
    fileprivate var wholeMilliseconds: Int {
        Int(components.seconds) * 1000 + Int(components.attoseconds / 1_000_000_000_000_000)
    }
}

public import ViewModelKit
import ViewModelProtocol

extension Harness {
    /// Calls an action and returns after its first stretch.
    ///
    /// The execution may continue.
    ///
    /// - Parameters:
    ///   - action: the action.
    ///   - parameters: the params.
    ///   - key: the retry key.
    ///   - deadline: the virtual time after which the call is cancelled, in whole milliseconds.
    /// - Returns: the call.
    /// - Throws: ``HarnessError`` when there is a retry key and the params cannot be encoded.
    public func start<Parameters: Encodable, Result, Member: Action<Parameters, Result>>(
        _ action: KeyPath<Type, Member>,
        _ parameters: Parameters,
        key: String? = nil,
        deadline: Duration? = nil
    ) throws -> PendingCall<Result> {
        let text = key == nil ? [] : try JSONValue(encoding: parameters).text
        return start(action, parameters, text, key, deadline)
    }

    /// Calls an action without params, as ``start(_:_:key:deadline:)`` calls one with params.
    public func start<Result>(
        _ action: KeyPath<Type, Action<Void, Result>>,
        key: String? = nil,
        deadline: Duration? = nil
    ) -> PendingCall<Result> {
        start(action, (), [], key, deadline)
    }

    private func start<Parameters, Result, Member: Action<Parameters, Result>>(
        _ action: KeyPath<Type, Member>,
        _ parameters: Parameters,
        _ text: [UInt8],
        _ key: String?,
        _ deadline: Duration?
    ) -> PendingCall<Result> {
        session.loop.run {
            let action = viewModel[keyPath: action]
            return PendingCall(session, on: action.graph, key: key, deadline: deadline?.wholeMilliseconds) { caller in
                action.call(parameters, by: caller) { text }
            }
        }
    }

    // MARK: Complete calls

    /// Runs an action until it ends.
    ///
    /// - Returns: the result, encoded and decoded again.
    /// - Throws: `ActionFailure`, `InvalidValue`, `LimitExceeded` or ``Refusal``, which is `.unfinished` if the action
    ///   has to wait.
    @discardableResult
    public func run<Parameters: Encodable, Result: Decodable, Member: Action<Parameters, Result>>(
        _ action: KeyPath<Type, Member>,
        _ parameters: Parameters
    ) throws -> Result {
        try start(action, parameters).result()
    }

    /// Runs an action without a result until it ends, with the errors of the form with a result.
    public func run<Parameters: Encodable, Member: Action<Parameters, Void>>(
        _ action: KeyPath<Type, Member>,
        _ parameters: Parameters
    ) throws {
        try start(action, parameters).result()
    }

    /// Runs an action without params until it ends, and returns its result like the form with params.
    @discardableResult
    public func run<Result: Decodable>(_ action: KeyPath<Type, Action<Void, Result>>) throws -> Result {
        try start(action).result()
    }

    /// Runs an action without params and without a result until it ends, with the errors of the form with a result.
    public func run(_ action: KeyPath<Type, Action<Void, Void>>) throws {
        try start(action).result()
    }

    // MARK: The action's outputs

    /// Returns whether clients see the action enabled.
    public func isEnabled<Member: AnyAction>(_ action: KeyPath<Type, Member>) throws -> Bool {
        try shown("enabled", of: viewModel[keyPath: action])
    }

    /// Returns whether clients see the action executing.
    public func isExecuting<Member: AnyAction>(_ action: KeyPath<Type, Member>) throws -> Bool {
        try shown("executing", of: viewModel[keyPath: action])
    }

    /// Returns the progress that clients see, from 0 to 1.
    ///
    /// Returns nil unless the action executes and reports its progress.
    public func progress<Member: AnyAction>(_ action: KeyPath<Type, Member>) throws -> Double? {
        try shown("progress", of: viewModel[keyPath: action])
    }

    private func shown<Value: Decodable>(_ output: String, of action: AnyAction) throws -> Value {
        let path = try members.name(of: action)
        return try shown("\(path.member).\(output)", of: path.instance)
    }
}

/// The type-erased contract of an action.
package struct ActionContract: Sendable {
    package let policy: ActionPolicy
    /// The declared failures.
    package let failures: @Sendable () -> [FailureContract]
    package let parameters: MemberShape
    package let result: MemberShape
    package let member: @Sendable (AnyObject) -> AnyAction
    /// Decodes the params, then admits or refuses the call.
    package let call: @Sendable (AnyAction, any ValueReader, ActionCall) throws -> Void

    package init(
        policy: ActionPolicy,
        failures: @escaping @Sendable () -> [FailureContract],
        parameters: MemberShape,
        result: MemberShape,
        member: @escaping @Sendable (AnyObject) -> AnyAction,
        call: @escaping @Sendable (AnyAction, any ValueReader, ActionCall) throws -> Void
    ) {
        self.policy = policy
        self.failures = failures
        self.parameters = parameters
        self.result = result
        self.member = member
        self.call = call
    }
}

/// The parts of a call other than its params.
package struct ActionCall {
    package var key: String?
    package var deadline: Int?
    /// The caller that waits for the outcome.
    package var caller: ActionCaller?

    package init(key: String? = nil, deadline: Int? = nil, caller: ActionCaller?) {
        self.key = key
        self.deadline = deadline
        self.caller = caller
    }
}

extension MemberContract {
    /// Returns the contract of an action with params and a result.
    public static func action<Parameters: Schemable, Result: Schemable>(
        _ name: String,
        _ description: String,
        policy: ActionPolicy,
        failures: @autoclosure @escaping @Sendable () -> [FailureContract] = [],
        bounds: Bounds? = nil,
        _ member: @escaping @Sendable (Owner) -> Action<Parameters, Result>
    ) -> Self {
        Self(
            name: name,
            description: description,
            kind: .action(
                ActionContract(
                    policy: policy,
                    failures: failures,
                    parameters: MemberShape(of: Parameters.self, bounds),
                    result: MemberShape { .of(Result.self) },
                    member: { prepared(member(unsafeDowncast($0, to: Owner.self)), policy, encode) },
                    call: callWithParameters(Parameters.self, Result.self)
                )
            )
        )
    }

    /// Returns the contract of an action with params and without a result.
    public static func actionWithoutResult<Parameters: Schemable>(
        _ name: String,
        _ description: String,
        policy: ActionPolicy,
        failures: @autoclosure @escaping @Sendable () -> [FailureContract] = [],
        bounds: Bounds? = nil,
        _ member: @escaping @Sendable (Owner) -> Action<Parameters, Void>
    ) -> Self {
        Self(
            name: name,
            description: description,
            kind: .action(
                ActionContract(
                    policy: policy,
                    failures: failures,
                    parameters: MemberShape(of: Parameters.self, bounds),
                    result: MemberShape { nil },
                    member: { prepared(member(unsafeDowncast($0, to: Owner.self)), policy, encodeNothing) },
                    call: callWithParameters(Parameters.self, Void.self)
                )
            )
        )
    }

    /// Returns the contract of an action without params and with a result.
    public static func actionWithoutParameters<Result: Schemable>(
        _ name: String,
        _ description: String,
        policy: ActionPolicy,
        failures: @autoclosure @escaping @Sendable () -> [FailureContract] = [],
        _ member: @escaping @Sendable (Owner) -> Action<Void, Result>
    ) -> Self {
        Self(
            name: name,
            description: description,
            kind: .action(
                ActionContract(
                    policy: policy,
                    failures: failures,
                    parameters: MemberShape { nil },
                    result: MemberShape { .of(Result.self) },
                    member: { prepared(member(unsafeDowncast($0, to: Owner.self)), policy, encode) },
                    call: callWithoutParameters(Result.self)
                )
            )
        )
    }

    /// Returns the contract of an action without params and without a result.
    public static func actionWithoutValues(
        _ name: String,
        _ description: String,
        policy: ActionPolicy,
        failures: @autoclosure @escaping @Sendable () -> [FailureContract] = [],
        _ member: @escaping @Sendable (Owner) -> Action<Void, Void>
    ) -> Self {
        Self(
            name: name,
            description: description,
            kind: .action(
                ActionContract(
                    policy: policy,
                    failures: failures,
                    parameters: MemberShape { nil },
                    result: MemberShape { nil },
                    member: { prepared(member(unsafeDowncast($0, to: Owner.self)), policy, encodeNothing) },
                    call: callWithoutParameters(Void.self)
                )
            )
        )
    }
}

private func encode<Result: Encodable>(_ result: Result, _ host: any GraphHost) throws -> [UInt8] {
    try host.encode(result)
}

private func encodeNothing(_ result: Void, _ host: any GraphHost) throws -> [UInt8] {
    Array("null".utf8)
}

private func prepared<Parameters, Result>(
    _ action: Action<Parameters, Result>,
    _ policy: ActionPolicy,
    _ encode: @escaping (Result, any GraphHost) throws -> [UInt8]
) -> AnyAction {
    action.policy = policy
    action.encodeResult = { [unowned graph = action.graph] in try encode($0, graph.host) }
    return action
}

private func callWithParameters<Parameters: Schemable, Result: SendableMetatype>(
    _: Parameters.Type,
    _: Result.Type
) -> @Sendable (AnyAction, any ValueReader, ActionCall) throws -> Void {
    { action, reader, call in
        let parameters = try reader.read(Parameters.self)
        // The params are encoded again, so that two spellings of the same params compare equal.
        let key = try call.key.map { (name: $0, parameters: try action.graph.host.encode(parameters)) }
        unsafeDowncast(action, to: Action<Parameters, Result>.self)
            .call(parameters, key: key, deadline: call.deadline, caller: call.caller)
    }
}

private func callWithoutParameters<Result: SendableMetatype>(
    _: Result.Type
) -> @Sendable (AnyAction, any ValueReader, ActionCall) throws -> Void {
    { action, _, call in
        unsafeDowncast(action, to: Action<Void, Result>.self)
            .call((), key: call.key.map { ($0, []) }, deadline: call.deadline, caller: call.caller)
    }
}

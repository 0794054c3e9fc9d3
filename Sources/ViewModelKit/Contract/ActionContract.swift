/// The type-erased contract of an action.
package struct ActionContract: Sendable {
    package let policy: ActionPolicy
    /// The declared failures.
    package let failures: @Sendable () -> [FailureContract]
    package let parameters: MemberShape
    package let result: MemberShape
    package let member: @Sendable (AnyObject) -> AnyAction
    /// Decodes the params, then admits or refuses the call.
    package let call: @Sendable (AnyAction, SentValue, ActionCall) throws -> Void

    package init(
        policy: ActionPolicy,
        failures: @escaping @Sendable () -> [FailureContract],
        parameters: MemberShape,
        result: MemberShape,
        member: @escaping @Sendable (AnyObject) -> AnyAction,
        call: @escaping @Sendable (AnyAction, SentValue, ActionCall) throws -> Void
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
        action(name, description, policy, failures, ValueForm(bounds), ValueForm(), member)
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
        action(name, description, policy, failures, ValueForm(bounds), .nothing, member)
    }

    /// Returns the contract of an action without params and with a result.
    public static func actionWithoutParameters<Result: Schemable>(
        _ name: String,
        _ description: String,
        policy: ActionPolicy,
        failures: @autoclosure @escaping @Sendable () -> [FailureContract] = [],
        _ member: @escaping @Sendable (Owner) -> Action<Void, Result>
    ) -> Self {
        action(name, description, policy, failures, .nothing, ValueForm(), member)
    }

    /// Returns the contract of an action without params and without a result.
    public static func actionWithoutValues(
        _ name: String,
        _ description: String,
        policy: ActionPolicy,
        failures: @autoclosure @escaping @Sendable () -> [FailureContract] = [],
        _ member: @escaping @Sendable (Owner) -> Action<Void, Void>
    ) -> Self {
        action(name, description, policy, failures, .nothing, .nothing, member)
    }

    private static func action<Parameters: SendableMetatype, Result: SendableMetatype>(
        _ name: String,
        _ description: String,
        _ policy: ActionPolicy,
        _ failures: @escaping @Sendable () -> [FailureContract],
        _ parameters: ValueForm<Parameters>,
        _ result: ValueForm<Result>,
        _ member: @escaping @Sendable (Owner) -> Action<Parameters, Result>
    ) -> Self {
        let encode = result.encode
        let contract = ActionContract(
            policy: policy,
            failures: failures,
            parameters: parameters.shape,
            result: result.shape,
            member: { object in
                let action = member(unsafeDowncast(object, to: Owner.self))
                action.policy = policy
                action.encodeResult = { [unowned graph = action.graph] in
                    let text = try encode($0, graph.host)
                    return text.isEmpty ? Array("null".utf8) : text
                }
                return action
            },
            call: { action, sent, call in
                let value = try parameters.decode(sent)
                // The params are encoded again, so that two spellings of the same params compare equal.
                let key = try call.key.map { (name: $0, parameters: try parameters.encode(value, action.graph.host)) }
                unsafeDowncast(action, to: Action<Parameters, Result>.self)
                    .call(value, key: key, deadline: call.deadline, caller: call.caller)
            }
        )
        return Self(name: name, description: description, kind: .action(contract))
    }
}

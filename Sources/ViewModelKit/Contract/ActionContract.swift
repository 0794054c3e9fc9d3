/// The type-erased contract of an action.
package final class ActionContract: Sendable {
    package let name: String
    package let description: String
    package let policy: ActionPolicy
    /// The declared failures.
    package let failures: @Sendable () -> [FailureContract]
    package let parameters: MemberShape
    package let result: MemberShape
    package let member: @Sendable (AnyObject) -> AnyAction
    /// Decodes the params, then admits or refuses the call.
    package let call: @Sendable (AnyAction, SentValue, ActionCaller) throws -> Void

    package init<Parameters: SendableMetatype, Result: SendableMetatype>(
        _ name: String,
        _ description: String,
        _ policy: ActionPolicy,
        _ failures: @escaping @Sendable () -> [FailureContract],
        _ parameters: ValueForm<Parameters>,
        _ result: ValueForm<Result>,
        _ member: @escaping @Sendable (AnyObject) -> Action<Parameters, Result>
    ) {
        self.name = name
        self.description = description
        self.policy = policy
        self.failures = failures
        self.parameters = parameters.shape
        self.result = result.shape
        let encode = result.encode
        self.member = { object in
            let action = member(object)
            action.policy = policy
            action.encodeResult = { [unowned graph = action.graph] in try encode($0, graph) }
            return action
        }
        call = { action, sent, caller in
            let value = try parameters.decode(sent)
            try unsafeDowncast(action, to: Action<Parameters, Result>.self).call(value, by: caller) {
                // The params are encoded again, so that two spellings of the same params compare equal.
                try parameters.encode(value, action.graph)
            }
        }
    }
}

/// An action that only the ViewModel itself runs.
package final class OwnActionContract: Sendable {
    package let name: String
    package let member: @Sendable (AnyObject) -> AnyAction

    init(_ name: String, _ member: @escaping @Sendable (AnyObject) -> AnyAction) {
        self.name = name
        self.member = member
    }
}

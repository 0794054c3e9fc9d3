package import ViewModelContract

/// The contract of one member of a ViewModel.
///
/// `@ViewModel` generates one for each declaration.
public struct MemberContract<Owner: AnyObject & SendableMetatype>: Sendable {
    /// The type-erased contract, of the class for its kind of member.
    let contract: any AnyObject & Sendable

    /// Returns an object in its type.
    private static func owner(_ object: AnyObject) -> Owner { unsafeDowncast(object, to: Owner.self) }

    /// Returns the contract of an input.
    public static func input<Value: SendableMetatype>(
        _ name: String,
        _ description: String,
        _ value: ValueForm<Value>,
        _ member: @escaping @Sendable (Owner) -> Input<Value>
    ) -> Self {
        Self(contract: InputContract(name, description, value) { member(owner($0)) })
    }

    /// Returns the contract of an action.
    public static func action<Parameters: SendableMetatype, Result: SendableMetatype>(
        _ name: String,
        _ description: String,
        policy: ActionPolicy,
        failures: @autoclosure @escaping @Sendable () -> [FailureContract] = [],
        _ parameters: ValueForm<Parameters>,
        _ result: ValueForm<Result>,
        _ member: @escaping @Sendable (Owner) -> Action<Parameters, Result>
    ) -> Self {
        Self(contract: ActionContract(name, description, policy, failures, parameters, result) { member(owner($0)) })
    }

    /// Returns an action that only the ViewModel itself runs, which the contract does not show.
    public static func ownAction<Parameters: SendableMetatype, Result: SendableMetatype>(
        _ name: String,
        policy: ActionPolicy,
        _ member: @escaping @Sendable (Owner) -> Action<Parameters, Result>
    ) -> Self {
        Self(
            contract: OwnActionContract(name) { object in
                let action = member(owner(object))
                action.policy = policy
                // No caller gets the result.
                action.encodeResult = { _ in [] }
                return action
            }
        )
    }

    /// Returns the contract of a state or an event.
    public static func output<Member: AnyOutput & SendableMetatype>(
        _ name: String,
        _ description: String,
        volatile: Bool = false,
        _ member: @escaping @Sendable (Owner) -> Member
    ) -> Self {
        let shape = MemberShape { Member.schema }
        return Self(contract: OutputContract(name, description, Member.kind, shape, volatile) { member(owner($0)) })
    }

    /// Returns the contract of a list.
    public static func output<Row: SendableMetatype>(
        _ name: String,
        _ description: String,
        volatile: Bool = false,
        _ member: @escaping @Sendable (Owner) -> ListOutput<Row>
    ) -> Self {
        let shape = MemberShape { Schema.array(.of(Row.self)) }
        return Self(contract: OutputContract(name, description, .list, shape, volatile) { member(owner($0)).source })
    }

    /// Returns the contract of a child ViewModel.
    public static func child<Child: ViewModel>(
        _ name: String,
        _ description: String,
        _ member: @escaping @Sendable (Owner) -> Child
    ) -> Self {
        Self(contract: ChildContract(name, description, type: { Child.contract.hosted }) { member(owner($0)) })
    }
}

/// The type-erased contract of an input.
package final class InputContract: Sendable {
    package let name: String
    package let description: String
    package let shape: MemberShape
    package let member: @Sendable (AnyObject) -> any AnyInput
    /// Decodes the value of a call, which may have a retry key, and applies it.
    ///
    /// Returns the step of an earlier call with the key, or nil.
    package let accept: @Sendable (AnyObject, SentValue, String?) throws -> Int?
    /// Whether the contract calls it an input of a field, or nil if that follows from the outputs.
    package let isField: Bool?

    package init<Value: SendableMetatype>(
        _ name: String,
        _ description: String,
        _ form: ValueForm<Value>,
        isField: Bool? = nil,
        _ member: @escaping @Sendable (AnyObject) -> Input<Value>
    ) {
        self.name = name
        self.description = description
        shape = form.shape
        self.isField = isField
        self.member = { member($0) }
        accept = { input, sent, key in
            let input = unsafeDowncast(input, to: Input<Value>.self)
            let value = try form.decode(sent)
            return try input.accept(value, key) { try form.encode(value, input.graph) }
        }
    }
}

/// An input of any type, as the host sees it.
package protocol AnyInput: AnyObject {
    /// Keeps the retry key of the applied call with the step that its reply names.
    func remember(step: Int)
    /// Remembers a call that an earlier life of the session has applied, and the step for the reply to a repeated call.
    func restore(_ call: KeyedCall, step: Int, age: Duration)
    /// Releases the subscribers and the retry keys, because the instance has ended.
    func dispose()
}

extension Input: AnyInput {}

/// The type-erased contract of an output.
package final class OutputContract: Sendable {
    package let name: String
    package let description: String
    package let kind: ContractType.Output.Kind
    package let shape: MemberShape
    /// Whether the value differs between two runs with the same inputs.
    package let isVolatile: Bool
    package let member: @Sendable (AnyObject) -> AnyOutput

    package init(
        _ name: String,
        _ description: String,
        _ kind: ContractType.Output.Kind,
        _ shape: MemberShape,
        _ isVolatile: Bool,
        _ member: @escaping @Sendable (AnyObject) -> AnyOutput
    ) {
        self.name = name
        self.description = description
        self.kind = kind
        self.shape = shape
        self.isVolatile = isVolatile
        self.member = member
    }
}

/// The type-erased contract of a child.
package final class ChildContract: Sendable {
    package let name: String
    package let description: String
    /// Returns the contract of the child's type.
    package let type: @Sendable () -> HostedContract
    package let member: @Sendable (AnyObject) -> AnyObject

    package init(
        _ name: String,
        _ description: String,
        type: @escaping @Sendable () -> HostedContract,
        _ member: @escaping @Sendable (AnyObject) -> AnyObject
    ) {
        self.name = name
        self.description = description
        self.type = type
        self.member = member
    }
}

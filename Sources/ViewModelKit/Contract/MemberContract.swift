/// The contract of one member of a ViewModel.
///
/// `@ViewModel` generates one for each declaration.
public struct MemberContract<Owner: AnyObject & SendableMetatype>: Sendable {
    package enum Kind: Sendable {
        case input(InputContract)
        case output(OutputContract)
        case action(ActionContract)
        case child(ChildContract)
    }

    package let name: String
    package let description: String
    package let kind: Kind

    /// Returns the contract of an input with a value.
    public static func input<Value: Schemable>(
        _ name: String,
        _ description: String,
        bounds: Bounds? = nil,
        _ member: @escaping @Sendable (Owner) -> Input<Value>
    ) -> Self {
        input(name, description, ValueForm(bounds), member)
    }

    /// Returns the contract of an input without a value.
    public static func inputWithoutValue(
        _ name: String,
        _ description: String,
        _ member: @escaping @Sendable (Owner) -> Input<Void>
    ) -> Self {
        input(name, description, .nothing, member)
    }

    private static func input<Value: SendableMetatype>(
        _ name: String,
        _ description: String,
        _ form: ValueForm<Value>,
        _ member: @escaping @Sendable (Owner) -> Input<Value>
    ) -> Self {
        let contract = InputContract(
            shape: form.shape,
            member: { member(unsafeDowncast($0, to: Owner.self)) },
            accept: { input, sent, key in
                let input = unsafeDowncast(input, to: Input<Value>.self)
                let value = try form.decode(sent)
                return try input.accept(value, key) { try form.encode(value, input.graph.host) }
            }
        )
        return Self(name: name, description: description, kind: .input(contract))
    }

    /// Returns the contract of a state.
    public static func output<Value: Schemable & Equatable>(
        _ name: String,
        _ description: String,
        volatile: Bool = false,
        _ member: @escaping @Sendable (Owner) -> Output<Value>
    ) -> Self {
        output(name, description, .state, MemberShape { .of(Value.self) }, volatile) { member($0) }
    }

    /// Returns the contract of a list.
    public static func output<Row: Schemable & Equatable & Identifiable>(
        _ name: String,
        _ description: String,
        volatile: Bool = false,
        _ member: @escaping @Sendable (Owner) -> ListOutput<Row>
    ) -> Self where Row.ID: Codable {
        output(name, description, .list, MemberShape { .array(.of(Row.self)) }, volatile) { member($0) }
    }

    /// Returns the contract of an event.
    public static func output<Value: Schemable>(
        _ name: String,
        _ description: String,
        volatile: Bool = false,
        _ member: @escaping @Sendable (Owner) -> Event<Value>
    ) -> Self {
        output(name, description, .event, MemberShape { .of(Value.self) }, volatile) { member($0) }
    }

    private static func output(
        _ name: String,
        _ description: String,
        _ kind: OutputContract.Kind,
        _ shape: MemberShape,
        _ isVolatile: Bool,
        _ member: @escaping @Sendable (Owner) -> AnyOutput
    ) -> Self {
        let contract = OutputContract(kind: kind, shape: shape, isVolatile: isVolatile) {
            member(unsafeDowncast($0, to: Owner.self))
        }
        return Self(name: name, description: description, kind: .output(contract))
    }

    /// Returns the contract of a child ViewModel.
    public static func child<Child: ViewModel>(
        _ name: String,
        _ description: String,
        _ member: @escaping @Sendable (Owner) -> Child
    ) -> Self {
        Self(
            name: name,
            description: description,
            kind: .child(
                ChildContract(
                    type: { HostedContract(of: Child.self) },
                    member: { member(unsafeDowncast($0, to: Owner.self)) }
                )
            )
        )
    }
}

/// The type-erased contract of an input.
package struct InputContract: Sendable {
    package let shape: MemberShape
    package let member: @Sendable (AnyObject) -> any AnyInput
    /// Decodes the value of a call, which may have a retry key, and applies it.
    package let accept: @Sendable (AnyObject, SentValue, String?) throws -> KeyedInputOutcome
    /// Whether the contract calls it an input of a field, or nil if that follows from the outputs.
    package let isField: Bool?

    package init(
        shape: MemberShape,
        isField: Bool? = nil,
        member: @escaping @Sendable (AnyObject) -> any AnyInput,
        accept: @escaping @Sendable (AnyObject, SentValue, String?) throws -> KeyedInputOutcome
    ) {
        self.shape = shape
        self.isField = isField
        self.member = member
        self.accept = accept
    }
}

/// An input of any type, as the host sees it.
package protocol AnyInput: AnyObject {
    /// Keeps the retry key of the applied call with the step that its reply names.
    func remember(step: Int)
    /// Remembers a call that an earlier life of the session has applied.
    func restore(_ call: KeyedCall, step: Int, age: Duration)
    /// Releases the subscribers and the retry keys.
    func dispose()
}

extension Input: AnyInput {}

/// The type-erased contract of an output.
package struct OutputContract: Sendable {
    /// The kinds of output (protocol, section 7).
    package enum Kind: String, Sendable {
        case state
        case list
        case event
    }

    package let kind: Kind
    package let shape: MemberShape
    /// Whether the value differs between two runs with the same inputs.
    package let isVolatile: Bool
    package let member: @Sendable (AnyObject) -> AnyOutput

    package init(
        kind: Kind,
        shape: MemberShape,
        isVolatile: Bool = false,
        member: @escaping @Sendable (AnyObject) -> AnyOutput
    ) {
        self.kind = kind
        self.shape = shape
        self.isVolatile = isVolatile
        self.member = member
    }
}

/// The type-erased contract of a child.
package struct ChildContract: Sendable {
    package let type: @Sendable () -> HostedContract
    package let member: @Sendable (AnyObject) -> AnyObject

    package init(
        type: @escaping @Sendable () -> HostedContract,
        member: @escaping @Sendable (AnyObject) -> AnyObject
    ) {
        self.type = type
        self.member = member
    }
}

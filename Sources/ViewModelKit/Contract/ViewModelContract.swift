/// The contract of a ViewModel: its name, and its members in the order of their declaration.
///
/// `@ViewModel` generates it. Authors do not create one.
public struct ViewModelContract<Owner: AnyObject & SendableMetatype>: Sendable {
    /// The type's name on the wire.
    public let name: String
    /// The doc comment of the class.
    public let description: String
    /// The arguments of `viewModel.open`, or nil if the type has none.
    package let arguments: MemberShape?
    package let members: [MemberContract<Owner>]

    /// Creates a contract.
    ///
    /// `@ViewModel` generates the call.
    public init(name: String, description: String, members: (inout [MemberContract<Owner>]) -> Void) {
        self.name = name
        self.description = description
        self.arguments = nil
        self.members = Self.list(members)
    }

    /// Creates the contract of a ViewModel with arguments.
    ///
    /// `@ViewModel` generates the call.
    public init<Arguments: Schemable>(
        name: String,
        description: String,
        arguments: Arguments.Type,
        members: (inout [MemberContract<Owner>]) -> Void
    ) {
        self.name = name
        self.description = description
        self.arguments = MemberShape { .of(Arguments.self) }
        self.members = Self.list(members)
    }

    private static func list(_ declare: (inout [MemberContract<Owner>]) -> Void) -> [MemberContract<Owner>] {
        var members: [MemberContract<Owner>] = []
        declare(&members)
        return members
    }
}

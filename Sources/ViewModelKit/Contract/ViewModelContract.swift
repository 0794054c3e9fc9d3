/// The contract of a ViewModel: its name, and its members in the order of their declaration.
///
/// `@ViewModel` generates it. Authors do not create one.
public struct ViewModelContract<Owner: SavingValues>: Sendable {
    /// The contract without the Swift type.
    package let hosted: HostedContract
    /// The type's name on the wire.
    public var name: String { hosted.name }

    /// Creates a contract.
    ///
    /// `@ViewModel` generates the call.
    public init(
        name: String,
        description: String,
        arguments: Schema? = nil,
        members declare: (inout [MemberContract<Owner>]) -> Void
    ) {
        var members: [MemberContract<Owner>] = []
        declare(&members)
        hosted = HostedContract(
            name: name,
            description: description,
            arguments: arguments.map { schema in MemberShape { schema } },
            inputs: members.compactMap { $0.contract as? InputContract },
            outputs: members.compactMap { $0.contract as? OutputContract },
            actions: members.compactMap { $0.contract as? ActionContract },
            ownActions: members.compactMap { $0.contract as? OwnActionContract },
            children: members.compactMap { $0.contract as? ChildContract },
            type: Owner.self
        )
    }
}

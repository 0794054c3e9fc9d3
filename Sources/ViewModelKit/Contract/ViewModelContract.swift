/// The contract of a ViewModel: its name, and its members in the order of their declaration.
///
/// `@ViewModel` generates it. Authors do not create one.
public struct ViewModelContract<Owner: AnyObject & SendableMetatype>: Sendable {
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
            inputs: members.compactMap { if case .input(let input) = $0.kind { input } else { nil } },
            outputs: members.compactMap { if case .output(let output) = $0.kind { output } else { nil } },
            actions: members.compactMap { if case .action(let action) = $0.kind { action } else { nil } },
            children: members.compactMap { if case .child(let child) = $0.kind { child } else { nil } }
        )
    }
}

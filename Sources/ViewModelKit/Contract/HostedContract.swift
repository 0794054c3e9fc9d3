/// A ViewModel's contract without its Swift type, for the host and for tools.
package final class HostedContract: Sendable {
    package let name: String
    package let description: String
    /// The arguments of `viewModel.open`, or nil if the type has none.
    package let arguments: MemberShape?
    package let inputs: [InputContract]
    package let outputs: [OutputContract]
    package let actions: [ActionContract]
    /// The actions that only the ViewModel itself runs.
    package let ownActions: [OwnActionContract]
    package let children: [ChildContract]
    /// The class, whose instances may save values; nil for a contract without one.
    package let type: (any SavingValues.Type)?

    /// Creates a contract.
    package init(
        name: String,
        description: String,
        arguments: MemberShape?,
        inputs: [InputContract],
        outputs: [OutputContract],
        actions: [ActionContract],
        ownActions: [OwnActionContract] = [],
        children: [ChildContract],
        type: (any SavingValues.Type)? = nil
    ) {
        self.name = name
        self.description = description
        self.arguments = arguments
        self.inputs = inputs
        self.outputs = outputs
        self.actions = actions
        self.ownActions = ownActions
        self.children = children
        self.type = type
    }
}

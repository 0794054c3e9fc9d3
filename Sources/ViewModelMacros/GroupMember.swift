import SwiftSyntax

/// One member of a group, as it was declared.
struct GroupMember {
    let group: MemberGroup
    /// The name as written, perhaps in backticks.
    let identifier: TokenSyntax
    let description: String
    /// The policy of an action, as written.
    var policy: String?

    /// The name on the wire.
    var name: String { identifier.text.withoutBackticks }

    /// The entry in the contract.
    var entry: String {
        let policy = group == .actions ? ", policy: \(policy ?? ".exclusive")" : ""
        return ".\(group.entry)(\(name.asLiteral), \(description.asLiteral)\(policy)) "
            + "{ $0.\(group.propertyName).\(identifier.text) }"
    }
}

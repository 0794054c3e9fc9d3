import SwiftSyntax

/// One declared member of a group.
struct GroupMember {
    let group: MemberGroup
    /// The name as written, with its backticks.
    let identifier: TokenSyntax
    let description: String
    /// The source text of an action's policy.
    var policy: String?

    /// The name on the wire.
    var name: String { identifier.text.withoutBackticks }

    /// The source text of the member's entry in the contract.
    var entry: String {
        let policy = group == .actions ? ", policy: \(policy ?? ".exclusive")" : ""
        return ".\(group.entry)(\(name.asLiteral), \(description.asLiteral)\(policy)) "
            + "{ $0.\(group.propertyName).\(identifier.text) }"
    }
}

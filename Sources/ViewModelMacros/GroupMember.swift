import SwiftSyntax

/// One declared member of a group.
struct GroupMember {
    let group: MemberGroup
    /// The name as written, with its backticks.
    let identifier: TokenSyntax
    let description: String
    /// The source text of an action's policy.
    var policy: String?
    /// The source texts of the type's generic arguments, as far as the syntax shows them.
    var arguments: [String] = []

    /// The name on the wire.
    var name: String { identifier.text.withoutBackticks }

    /// The source text of the member's entry in the contract.
    var entry: String {
        let policy = group == .actions ? ", policy: \(policy ?? ".exclusive")" : ""
        return ".\(group.entry)\(missingValues)(\(name.asLiteral), \(description.asLiteral)\(policy)) "
            + "{ $0.\(group.propertyName).\(identifier.text) }"
    }

    /// The end of the entry's name for an input without a value, or an action without params or result.
    private var missingValues: String {
        let isMissing = arguments.map { ["Void", "Swift.Void", "()"].contains($0) }
        return switch (group, isMissing) {
        case (.inputs, [true]): "WithoutValue"
        case (.actions, [true, true]): "WithoutValues"
        case (.actions, [true, false]): "WithoutParameters"
        case (.actions, [false, true]): "WithoutResult"
        default: ""
        }
    }
}

import SwiftSyntax

/// A group of members in a ViewModel: a nested struct and the stored property of that type.
enum MemberGroup: CaseIterable {
    case inputs, outputs, actions, ownActions, children

    /// The name of the stored property.
    var propertyName: String { "\(self)" }

    /// The name of the nested struct.
    var typeName: String { propertyName.prefix(1).uppercased() + propertyName.dropFirst() }

    /// The name of the static function that creates an entry of the contract.
    var entry: String { self == .children ? "child" : String(propertyName.dropLast()) }

    /// The allowed types of a member, or nil if every type is allowed.
    var memberTypes: [String]? {
        switch self {
        case .inputs: ["Input"]
        case .outputs: ["Output", "ListOutput", "Event"]
        case .actions, .ownActions: ["Action", "ListedAction"]
        case .children: nil
        }
    }

    /// The group with which this one shares a namespace, and the reason.
    var rival: (group: MemberGroup, reason: String) {
        switch self {
        case .inputs: (.actions, "both are called as methods")
        case .actions, .ownActions: (.inputs, "both are called as methods")
        case .outputs: (.children, "both are parts of what clients see")
        case .children: (.outputs, "both are parts of what clients see")
        }
    }

    /// Returns whether an action lists its executions; the policy is a source text such as `.concurrent(limit: 2)`.
    static func listsExecutions(_ policy: String?) -> Bool { ["concurrent", "queued"].contains(name(of: policy)) }

    /// Returns the name of a policy, which is a source text.
    static func name(of policy: String?) -> Substring {
        (policy ?? ".exclusive").prefix { $0 != "(" }.split(separator: ".").last ?? ""
    }

    /// The source texts of constants of the allowed types with a name, for diagnostics.
    func memberExamples(_ name: String) -> String {
        let types = (memberTypes ?? []).filter { $0 != "ListedAction" }
            .map { $0 == "Action" ? "Action<Parameters, Result>" : "\($0)<Value>" }
        return types.map { "`let \(name): \($0)`" }.joined(separator: " or ")
    }

    /// The allowed types in words, for diagnostics.
    var memberTypesInWords: String {
        switch self {
        case .inputs: "an `Input`"
        case .outputs: "an `Output`, a `ListOutput` or an `Event`"
        case .actions, .ownActions: "an `Action`"
        case .children: "a ViewModel"
        }
    }
}

/// A member of a ViewModel: a constant of a group, or a property or function with an attribute.
struct Member {
    let group: MemberGroup
    /// The name as written, with its backticks.
    let identifier: TokenSyntax
    let description: String
    /// The name of the type in the group, such as `Output`, as far as the syntax shows it.
    let type: String
    /// The source texts of the type's generic arguments, as far as the syntax shows them.
    let arguments: [String]
    /// The checks of the types that clients see, as far as the syntax shows them and the class can name them.
    let checkedTypes: [CheckedType]
    var policy: String?
    /// The source texts of the error types with an action's declared failures.
    var failures: [String] = []
    /// Whether the value of an output differs between two runs.
    var isVolatile = false
    /// The source text of the arguments of `Bounds` for the value of an input or the params of an action.
    var bounds: String?
    /// The parts of a member with an attribute, which the class makes; nil if the author's `init` makes the member.
    var parts: Parts?

    /// The source texts from which `@ViewModel` writes a member into its group.
    struct Parts {
        /// The access level in the group and a space, or an empty string.
        let access: String
        let value: String
        /// The object behind an output that the class writes or sends.
        var object: String?
        /// A struct for several parameters.
        var parameters: String?
    }

    /// The name on the wire.
    var name: String { identifier.text.withoutBackticks }

    /// The source text of the object behind the member.
    var object: String { parts?.object ?? "\(group.propertyName).\(identifier.text)" }

    /// Returns the source text of the type; `scope` precedes the name of the struct for several parameters.
    func typeText(in scope: String = "") -> String {
        let prefix = parts?.parameters == nil ? "" : scope
        let module = group == .children ? "" : "ViewModelKit."
        return module + type + (arguments.isEmpty ? "" : "<\(prefix)\(arguments.joined(separator: ", "))>")
    }

    /// The source text of the member's entry in the contract.
    var entry: String {
        let object = "{ $0.\(group.propertyName).\(identifier.text) }"
        if group == .ownActions {
            return ".\(group.entry)(\(name.asLiteral), policy: \(policy ?? ".exclusive")) \(object)"
        }
        let policy = group == .actions ? ", policy: \(policy ?? ".exclusive")" : ""
        let isListed = type == "ListedAction"
        let declared = failures.map { "\($0).failures" } + (isListed ? ["[.alreadyExecuting]"] : [])
        let failures = declared.isEmpty ? "" : ", failures: \(declared.joined(separator: " + "))"
        let volatile = isVolatile ? ", volatile: true" : ""
        let more = policy + failures + volatile + forms
        return ".\(group.entry)(\(name.asLiteral), \(description.asLiteral)\(more)) \(object)"
    }

    /// The source texts of the forms of an input's value, or of an action's params and result.
    private var forms: String {
        func form(_ index: Int, _ bounds: String? = nil) -> String {
            let isNothing = index < arguments.count && arguments[index].isVoidType
            return isNothing ? ", .nothing" : ", .value(\(bounds.map { ".init(\($0))" } ?? ""))"
        }
        return switch group {
        case .inputs: form(0, bounds)
        case .actions: form(0, bounds) + form(1)
        case .outputs, .ownActions, .children: ""
        }
    }
}

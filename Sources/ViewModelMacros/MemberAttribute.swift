import SwiftSyntax

/// The attribute of a property or function that declares a member.
struct MemberAttribute {
    enum Kind: String {
        case field = "Field"
        case output = "Output"
        case rows = "Rows"
        case event = "Event"
        case child = "Child"
        case input = "Input"
        case action = "Action"

        var isOfFunctions: Bool { self == .input || self == .action }
    }

    let kind: Kind
    private let attribute: AttributeSyntax

    init?(_ attribute: AttributeSyntax) {
        guard let kind = Kind(rawValue: attribute.plainName) else { return nil }
        self.kind = kind
        self.attribute = attribute
    }

    var policy: String? { attribute.argument()?.trimmedDescription }

    /// The source text of a further argument for the check of a field.
    var check: String { attribute.argument("check").map { ", check: \($0.trimmedDescription)" } ?? "" }

    /// Whether the value of an output changes with time.
    var isSampled: Bool { attribute.argument("every") != nil }

    /// The source text of the arguments for an output whose value changes with time, or an empty string.
    var sampling: String {
        guard let interval = attribute.argument("every") else { return "" }
        let condition = attribute.argument("while")?.trimmedDescription
        let gate = condition.map { ", while: ViewModelKit.Derived(of: self, \($0))" } ?? ""
        return "(every: \(interval.trimmed)\(gate))"
    }

    /// The initialiser that makes a shown row of a source row.
    var row: ExprSyntax? { attribute.argument("of") }

    /// The name of the parameter that identifies an execution.
    var id: ExprSyntax? { attribute.argument("id") }

    /// The argument that says when an action runs by itself.
    var runs: ExprSyntax? { attribute.argument("runs") }

    /// Returns the arguments of an action's initialiser; the id is a key path from the params to the id of an execution.
    func initializerArguments(id: String?) -> String {
        let gate = attribute.argument("enabled").map {
            "enabled: ViewModelKit.Derived(of: self, \($0.trimmedDescription))"
        }
        let all = [id.map { "id: \($0)" }, gate, runs.map { "runs: \($0.trimmedDescription)" }].compactMap(\.self)
        return all.isEmpty ? "" : "(\(all.joined(separator: ", ")))"
    }
}

extension IfConfigDeclSyntax {
    /// Whether a branch has a member with an attribute.
    var hasMembers: Bool {
        clauses.contains { clause in
            guard case .decls(let items) = clause.elements else { return false }
            return items.contains { item in
                item.decl.memberAttribute != nil || item.decl.as(IfConfigDeclSyntax.self)?.hasMembers == true
            }
        }
    }
}

extension DeclSyntaxProtocol {
    /// The attribute that makes the declaration a member of a ViewModel.
    var memberAttribute: MemberAttribute? {
        let attributes = self.as(VariableDeclSyntax.self)?.attributes ?? self.as(FunctionDeclSyntax.self)?.attributes
        for case .attribute(let attribute) in attributes ?? [] {
            if let found = MemberAttribute(attribute) { return found }
        }
        return nil
    }
}

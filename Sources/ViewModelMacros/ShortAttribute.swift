import SwiftSyntax

/// An attribute of the short form.
struct ShortAttribute {
    /// The attributes by their names.
    enum Kind: String, CaseIterable {
        case field = "Field"
        case output = "Output"
        case rows = "Rows"
        case event = "Event"
        case child = "Child"
        case input = "Input"
        case action = "Action"

        /// Whether the attribute is written on a function.
        var isOfFunctions: Bool { self == .input || self == .action }
    }

    let kind: Kind
    private let arguments: LabeledExprListSyntax?

    init?(_ attribute: AttributeSyntax) {
        guard let name = attribute.attributeName.name, let kind = Kind(rawValue: name) else { return nil }
        self.kind = kind
        if case .argumentList(let arguments) = attribute.arguments {
            self.arguments = arguments
        } else {
            arguments = nil
        }
    }

    /// The source text of an action's policy.
    var policy: String? { arguments?.first { $0.label == nil }?.expression.trimmedDescription }

    /// The source text of a further argument for the check of a field.
    var check: String {
        argument("check").map { ", check: \($0.trimmedDescription)" } ?? ""
    }

    /// The interval of an output whose value changes with time.
    var interval: ExprSyntax? { argument("every") }

    /// The source text of the arguments for an output whose value changes with time, or an empty string.
    var sampling: String {
        guard let interval else { return "" }
        let condition = argument("while")?.trimmedDescription
        let gate = condition.map { ", while: ViewModelKit.Derived(of: self, \($0))" } ?? ""
        return "(every: \(interval.trimmed)\(gate))"
    }

    /// The initialiser that makes a shown row of a source row.
    var row: ExprSyntax? { argument("of") }

    /// The name of the parameter that identifies an execution.
    var id: ExprSyntax? { argument("id").flatMap { $0.is(NilLiteralExprSyntax.self) ? nil : $0 } }

    /// The argument that says when an action runs by itself.
    var runs: ExprSyntax? { argument("runs") }

    /// Returns the source text of the arguments of an action's initialiser, with their parentheses.
    ///
    /// - Parameter id: the source text of the key path from the params to the id of an execution.
    /// - Returns: the source text.
    func initializerArguments(id: String?) -> String {
        let gate = argument("enabled").map { "enabled: ViewModelKit.Derived(of: self, \($0.trimmedDescription))" }
        let all = [id.map { "id: \($0)" }, gate, runs.map { "runs: \($0.trimmedDescription)" }].compactMap(\.self)
        return all.isEmpty ? "" : "(\(all.joined(separator: ", ")))"
    }

    private func argument(_ label: String) -> ExprSyntax? {
        arguments?.first { $0.label?.text == label }?.expression
    }
}

extension IfConfigDeclSyntax {
    /// Whether a branch has a member with an attribute of the short form.
    var hasShortMembers: Bool {
        clauses.contains { clause in
            guard case .decls(let items) = clause.elements else { return false }
            return items.contains { item in
                item.decl.shortAttribute != nil || item.decl.as(IfConfigDeclSyntax.self)?.hasShortMembers == true
            }
        }
    }
}

extension DeclSyntax {
    /// The attribute of the short form that the declaration has.
    var shortAttribute: ShortAttribute? {
        let attributes = self.as(VariableDeclSyntax.self)?.attributes ?? self.as(FunctionDeclSyntax.self)?.attributes
        for case .attribute(let attribute) in attributes ?? [] {
            if let found = ShortAttribute(attribute) { return found }
        }
        return nil
    }
}

import SwiftSyntax
import SwiftSyntaxBuilder

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
    let node: AttributeSyntax

    init?(_ node: AttributeSyntax) {
        guard let kind = Kind(rawValue: node.plainName) else { return nil }
        self.kind = kind
        self.node = node
    }

    /// Returns an argument as the source text of an argument in the expansion; nil without the argument.
    func argument(_ label: String) -> String? { node.argument(label).map { "\(label): \($0.trimmedDescription)" } }

    /// The number of executions of a policy such as `.concurrent(limit: 2)`.
    var limit: ExprSyntax? {
        node.argument()?.as(FunctionCallExprSyntax.self)?.arguments.first { $0.label?.text == "limit" }?.expression
    }

    /// Whether the value of an output changes with time.
    var isSampled: Bool { node.argument("every") != nil }

    /// The key path to the condition of an action, or of an output whose value changes with time.
    var condition: ExprSyntax? { node.argument("enabled") ?? node.argument("while") }

    /// The key paths to the condition, and to the properties after whose changes an action runs.
    var paths: [ExprSyntax] {
        var paths = [condition].compactMap(\.self)
        _ = runs { path in
            paths.append(path)
            return ""
        }
        return paths
    }

    /// Whether an action runs after changes of a property.
    var reacts: Bool { paths.count > (condition == nil ? 0 : 1) }

    /// Returns the source text of the argument that says when an action runs by itself; nil without the argument.
    func runs(_ signal: @escaping (ExprSyntax) -> String) -> String? {
        node.argument("runs").map { "runs: \(PathReplacer(signal).rewrite($0).trimmedDescription)" }
    }

    /// Returns the source text of the arguments for an output whose value changes with time, or an empty string.
    func sampling(_ outputs: ComputedOutputs) -> String {
        guard isSampled else { return "" }
        let signal = condition.map { path in
            // The output and its condition may be made together, so that the signal cannot be read yet.
            let shared = path.lastProperty.flatMap(outputs.signal(of:))
            return shared.map { "ViewModelKit.Derived { [unowned self] in \($0).value }" } ?? outputs.condition(path)
        }
        return list(argument("every"), signal.map { "while: \($0)" })
    }

    /// Returns the source text of arguments in parentheses, or an empty string without an argument.
    func list(_ arguments: String?...) -> String {
        let all = arguments.compactMap(\.self)
        return all.isEmpty ? "" : "(\(all.joined(separator: ", ")))"
    }
}

/// Replaces the key paths in an expression.
private final class PathReplacer: SyntaxRewriter {
    private let replacement: (ExprSyntax) -> String

    init(_ replacement: @escaping (ExprSyntax) -> String) { self.replacement = replacement }

    override func visit(_ node: KeyPathExprSyntax) -> ExprSyntax { "\(raw: replacement(ExprSyntax(node)))" }
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

import SwiftSyntax

/// A reader of the names by which code reads members of its object.
final class CodeReads: SyntaxVisitor {
    /// The names that stand alone or after `self`.
    private(set) var names: Set<String> = []
    /// The names that the code itself gives to constants, variables and parameters.
    private(set) var locals: Set<String> = []

    init(_ code: some SyntaxProtocol) {
        super.init(viewMode: .sourceAccurate)
        walk(code)
    }

    override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
        let access = node.parent?.as(MemberAccessExprSyntax.self)
        if access?.declName.id != node.id || access?.isOfSelf == true { names.insert(node.name) }
        return .visitChildren
    }

    override func visit(_ node: OptionalBindingConditionSyntax) -> SyntaxVisitorContinueKind {
        // `if let name` reads the member and hides it afterwards.
        if node.initializer == nil, let name = node.pattern.as(IdentifierPatternSyntax.self)?.identifier.text {
            names.insert(name.withoutBackticks)
            return .skipChildren
        }
        return .visitChildren
    }

    override func visit(_ node: KeyPathExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    override func visit(_ node: IdentifierPatternSyntax) -> SyntaxVisitorContinueKind { isLocal(node.identifier) }

    override func visit(_ node: ClosureShorthandParameterSyntax) -> SyntaxVisitorContinueKind { isLocal(node.name) }

    override func visit(_ node: ClosureParameterSyntax) -> SyntaxVisitorContinueKind {
        isLocal(node.secondName ?? node.firstName)
    }

    override func visit(_ node: FunctionParameterSyntax) -> SyntaxVisitorContinueKind {
        isLocal(node.secondName ?? node.firstName)
    }

    private func isLocal(_ name: TokenSyntax) -> SyntaxVisitorContinueKind {
        locals.insert(name.text.withoutBackticks)
        return .visitChildren
    }
}

extension DeclReferenceExprSyntax {
    /// The name without backticks.
    var name: String { baseName.text.withoutBackticks }
}

extension MemberAccessExprSyntax {
    /// Whether the access is written `self.name`.
    var isOfSelf: Bool { base?.as(DeclReferenceExprSyntax.self)?.baseName.tokenKind == .keyword(.self) }
}

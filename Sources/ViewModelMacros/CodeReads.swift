import SwiftSyntax

/// A reader of the names by which code reads members of its object.
final class CodeReads: SyntaxVisitor {
    /// The names that stand alone or after `self`, as ``DeclReferenceExprSyntax/readName``.
    private(set) var names: Set<String> = []
    /// The names that the code itself gives to constants, variables, parameters and functions.
    private(set) var locals: Set<String> = []
    /// The names that `if let name`, `guard let name` and capture lists give to values which they read.
    private(set) var rebound: Set<String> = []
    /// The expressions that read a clock.
    private var times: [ExprSyntax] = []
    private let root: SyntaxIdentifier
    private let clocks: Set<String>

    /// Reads code, in which properties of these names are clocks.
    init(_ code: some SyntaxProtocol, clocks: Set<String> = []) {
        root = code.id
        self.clocks = clocks
        super.init(viewMode: .sourceAccurate)
        walk(code)
    }

    /// The first expression that reads a clock.
    var time: ExprSyntax? {
        times.first { time in
            let base = time.as(MemberAccessExprSyntax.self)?.base?.as(DeclReferenceExprSyntax.self)
            return base.map { !locals.contains($0.name) } ?? true
        }
    }

    override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
        let access = node.parent?.as(MemberAccessExprSyntax.self)
        if access?.declName.id != node.id || access?.isOfSelf == true { names.insert(node.readName) }
        return .visitChildren
    }

    override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
        let (base, name) = (node.base, node.declName.name)
        let isProperty = ["now", "date"].contains(name) && base?.memberName.map(clocks.contains) == true
        let isSystem = name == "now" && Self.systemClocks.contains(base?.trimmedDescription ?? "")
        if isProperty || isSystem { times.append(ExprSyntax(node)) }
        return .visitChildren
    }

    private static let systemClocks = [
        "Date", "ContinuousClock", "ContinuousClock()", "SuspendingClock", "SuspendingClock()",
    ]

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        if node.calledExpression.as(DeclReferenceExprSyntax.self)?.name == "Date", node.arguments.isEmpty {
            times.append(ExprSyntax(node))
        }
        return .visitChildren
    }

    override func visit(_ node: ClosureCaptureSyntax) -> SyntaxVisitorContinueKind {
        rebound.insert(node.name.text.withoutBackticks)
        return .visitChildren
    }

    override func visit(_ node: OptionalBindingConditionSyntax) -> SyntaxVisitorContinueKind {
        // `if let name` reads the member and hides it afterwards.
        if node.initializer == nil, let name = node.pattern.as(IdentifierPatternSyntax.self)?.identifier.text {
            names.insert(name.withoutBackticks)
            rebound.insert(name.withoutBackticks)
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

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        node.id == root ? .visitChildren : isLocal(node.name)
    }

    override func visit(_ node: CatchClauseSyntax) -> SyntaxVisitorContinueKind { isLocal(.identifier("error")) }

    override func visit(_ node: AccessorDeclSyntax) -> SyntaxVisitorContinueKind {
        if let name = node.parameters?.name { return isLocal(name) }
        switch node.accessorSpecifier.text {
        case "set", "willSet": return isLocal(.identifier("newValue"))
        case "didSet": return isLocal(.identifier("oldValue"))
        default: return .visitChildren
        }
    }

    private func isLocal(_ name: TokenSyntax) -> SyntaxVisitorContinueKind {
        locals.insert(name.text.withoutBackticks)
        return .visitChildren
    }
}

extension DeclReferenceExprSyntax {
    /// The name without backticks.
    var name: String { baseName.text.withoutBackticks }

    /// The name, with parentheses if it is called or has the labels of a function.
    var readName: String {
        let access = parent?.as(MemberAccessExprSyntax.self)
        let whole = access?.declName.id == id ? access.map { ExprSyntax($0) } : ExprSyntax(self)
        let isCalled = whole.map { $0.parent?.as(FunctionCallExprSyntax.self)?.calledExpression.id == $0.id } ?? false
        return isCalled || argumentNames != nil ? "\(name)()" : name
    }
}

extension ExprSyntax {
    /// The name if the expression is `name` or `self.name`.
    var memberName: String? {
        let access = self.as(MemberAccessExprSyntax.self)
        return (access?.isOfSelf == true ? access?.declName : self.as(DeclReferenceExprSyntax.self))?.name
    }
}

extension MemberAccessExprSyntax {
    /// Whether the access is written `self.name`.
    var isOfSelf: Bool { base?.as(DeclReferenceExprSyntax.self)?.baseName.tokenKind == .keyword(.self) }
}

import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// A reader of the bodies in a ViewModel, which reports mistakes that compile or whose errors say little.
final class BodyReader: SyntaxVisitor {
    private(set) var diagnostics: [Diagnostic] = []
    /// The names of the class's own members.
    private let memberNames: Set<String>
    /// The names of the class's own methods.
    private let methodNames: Set<String>
    /// The tasks that are reported.
    private var foundTasks: Set<SyntaxIdentifier> = []

    init(_ declaration: ClassDeclSyntax) {
        memberNames = Set(declaration.memberBlock.members.flatMap { $0.decl.declaredNames })
        methodNames = Set(declaration.memberBlock.members.compactMap { $0.decl.as(FunctionDeclSyntax.self)?.name.text })
        super.init(viewMode: .sourceAccurate)
        walk(declaration.memberBlock)
    }

    private func diagnose(_ node: some SyntaxProtocol, _ diagnostic: ViewModelDiagnostic, _ fixIts: [FixIt] = []) {
        diagnostics.append(Diagnostic(node: node, message: diagnostic, fixIts: fixIts))
    }

    // MARK: Closures

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        switch node.calledName {
        case "Action", "ListedAction":
            for closure in node.closures { checkCaptures(of: closure, severity: .error) }
        case "busy", "retry", "flatMapLatest":
            for closure in node.closures { checkCaptures(of: closure, severity: .warning) }
        case "sink", "Input", "timer":
            for closure in node.closures { findTasks(in: closure.statements) }
        case "Outputs":
            for argument in node.arguments { checkOutput(argument) }
            findOwner(in: node)
        case "Actions":
            findOwner(in: node)
        default: break
        }
        return .visitChildren
    }

    /// Reports a capture list on a closure that suspends.
    ///
    /// - Parameters:
    ///   - closure: the closure.
    ///   - severity: a warning if a function of the same name may be another one.
    private func checkCaptures(of closure: ClosureExprSyntax, severity: DiagnosticSeverity) {
        guard let signature = closure.signature, let captures = signature.capture, closure.suspends else { return }
        var new = signature.with(\.capture, nil)
        let isEmpty =
            new.parameterClause == nil && new.effectSpecifiers == nil && new.returnClause == nil
            && new.attributes.isEmpty
        if !isEmpty { new = new.with(\.leadingTrivia, signature.leadingTrivia) }
        let changed = closure.with(\.signature, isEmpty ? nil : new)
        diagnose(
            captures,
            .captureList(severity),
            [
                FixIt(
                    message: FixItText(message: "remove the capture list"),
                    changes: [.replace(oldNode: Syntax(closure), newNode: Syntax(changed))]
                )
            ]
        )
    }

    private func findTasks(in statements: CodeBlockItemListSyntax) {
        let finder = TaskFinder(viewMode: .sourceAccurate)
        finder.walk(statements)
        for task in finder.tasks where foundTasks.insert(task.id).inserted { diagnose(task, .ownTask) }
    }

    /// Reports closures of a group that use the object in `init`, and methods of the object.
    private func findOwner(in group: FunctionCallExprSyntax) {
        guard group.isInInit else { return }
        let node = Syntax(group)
        let finder = OwnerFinder(methodNames.subtracting(node.namesAround).subtracting(node.functionsAround))
        finder.walk(group.arguments)
        if let (node, name) = finder.found { diagnose(node, .incompleteOwner(name)) }
    }

    /// Reports a cell as the value of an output.
    private func checkOutput(_ argument: LabeledExprSyntax) {
        guard let name = argument.expression.as(DeclReferenceExprSyntax.self)?.baseName.text,
            let made = argument.expression.localValue(of: name)?.as(FunctionCallExprSyntax.self)?.calledName,
            let type = ["Cell": "Output", "Derived": "Output", "ListCell": "ListOutput", "hold": "Output"][made]
        else { return }
        let wrapped = ExprSyntax("\(raw: type)(\(raw: name))")
        diagnose(
            argument.expression,
            .cellAsOutput(name, type),
            [
                FixIt(
                    message: FixItText(message: "write `\(wrapped)`"),
                    changes: [.replace(oldNode: Syntax(argument.expression), newNode: Syntax(wrapped))]
                )
            ]
        )
    }

    // MARK: Local functions

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        if let body = node.body, DeclSyntax(node).shortAttribute?.kind.isOfFunctions == true {
            findTasks(in: body.statements)
        }
        guard node.signature.effectSpecifiers?.asyncSpecifier != nil, node.parent?.is(CodeBlockItemSyntax.self) == true,
            let body = node.body
        else { return .visitChildren }
        let own = Set(node.signature.parameterClause.parameters.map { ($0.secondName ?? $0.firstName).text })
            .union(body.statements.flatMap { $0.item.as(DeclSyntax.self)?.declaredNames ?? [] })
        let outer = Syntax(node).namesAround.union(memberNames).union(["self"]).subtracting(own)
        let finder = ReferenceFinder(outer)
        finder.walk(body)
        if finder.found { diagnose(node.name, .localAsyncFunction(node.name.text)) }
        return .visitChildren
    }
}

/// A finder of references to names.
private final class ReferenceFinder: SyntaxVisitor {
    private let names: Set<String>
    private(set) var found = false

    init(_ names: Set<String>) {
        self.names = names
        super.init(viewMode: .sourceAccurate)
    }

    override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
        // The name of a member is not a reference to a variable.
        if let base = node.base { walk(base) }
        return .skipChildren
    }

    override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
        if names.contains(node.baseName.text) { found = true }
        return .visitChildren
    }
}

/// A finder of the first use of an object that is not complete.
///
/// Outside of closures `self` may be read for a property that has its value.
private final class OwnerFinder: SyntaxVisitor {
    private let methods: Set<String>
    private var depth = 0
    /// The use, and the name of the method.
    private(set) var found: (node: Syntax, method: String?)?

    init(_ methods: Set<String>) {
        self.methods = methods
        super.init(viewMode: .sourceAccurate)
    }

    override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind {
        depth += 1
        return .visitChildren
    }

    override func visitPost(_ node: ClosureExprSyntax) { depth -= 1 }

    override func visit(_ node: LabeledExprSyntax) -> SyntaxVisitorContinueKind {
        // The label is no reference.
        walk(node.expression)
        return .skipChildren
    }

    override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
        guard let base = node.base else { return .skipChildren }
        if base.is(DeclReferenceExprSyntax.self), base.trimmedDescription == "self" {
            let name = node.declName.baseName.text
            report(base, method: methods.contains(name) ? name : nil, isClosure: depth > 0)
        } else {
            walk(base)
        }
        return .skipChildren
    }

    override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
        let name = node.baseName.text
        if methods.contains(name) {
            report(node, method: name, isClosure: true)
        } else if name == "self" {
            report(node, method: nil, isClosure: depth > 0)
        }
        return .skipChildren
    }

    private func report(_ node: some SyntaxProtocol, method: String?, isClosure: Bool) {
        if found == nil, method != nil || isClosure { found = (Syntax(node), method) }
    }
}

/// A finder of tasks that a body starts.
private final class TaskFinder: SyntaxVisitor {
    private(set) var tasks: [ExprSyntax] = []

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        let callee = node.calledExpression.trimmedDescription
        // A body may wait for the value of a task.
        let isAwaited = ["value", "result"].contains(
            node.parent?.as(MemberAccessExprSyntax.self)?.declName.baseName.text
        )
        if ["Task", "Task.detached", "Task.immediate"].contains(callee), !node.closures.isEmpty, !isAwaited {
            tasks.append(node.calledExpression)
        }
        return .visitChildren
    }
}

/// A finder of suspensions outside of nested closures and functions.
private final class SuspensionFinder: SyntaxVisitor {
    private(set) var found = false

    override func visit(_ node: AwaitExprSyntax) -> SyntaxVisitorContinueKind {
        found = true
        return .skipChildren
    }

    override func visit(_ node: ForStmtSyntax) -> SyntaxVisitorContinueKind {
        if node.awaitKeyword != nil { found = true }
        return .visitChildren
    }

    override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
}

extension ClosureExprSyntax {
    /// Whether the closure is `async`, as its signature or its statements show.
    fileprivate var suspends: Bool {
        if signature?.effectSpecifiers?.asyncSpecifier != nil { return true }
        let finder = SuspensionFinder(viewMode: .sourceAccurate)
        finder.walk(statements)
        return finder.found
    }
}

extension FunctionCallExprSyntax {
    /// The closures among the arguments, trailing ones included.
    fileprivate var closures: [ClosureExprSyntax] {
        arguments.compactMap { $0.expression.as(ClosureExprSyntax.self) }
            + (trailingClosure.map { [$0] } ?? []) + additionalTrailingClosures.map(\.closure)
    }
}

extension DeclSyntax {
    /// The names of the variables and functions that a declaration introduces.
    fileprivate var declaredNames: [String] {
        if let variable = self.as(VariableDeclSyntax.self) {
            return variable.bindings.compactMap { $0.pattern.as(IdentifierPatternSyntax.self)?.identifier.text }
        }
        return self.as(FunctionDeclSyntax.self).map { [$0.name.text] } ?? []
    }
}

extension FunctionCallExprSyntax {
    /// Whether the innermost function around the call is an initialiser.
    fileprivate var isInInit: Bool {
        let around = sequence(first: Syntax(self), next: \.parent).first { node in
            node.is(InitializerDeclSyntax.self) || node.is(FunctionDeclSyntax.self) || node.is(AccessorBlockSyntax.self)
                || node.is(VariableDeclSyntax.self) && node.parent?.is(MemberBlockItemSyntax.self) == true
        }
        return around?.is(InitializerDeclSyntax.self) == true
    }
}

extension SyntaxProtocol {
    /// The blocks of code around a node, from the inside out.
    fileprivate var blocksAround: [CodeBlockItemListSyntax] {
        sequence(first: Syntax(self), next: \.parent).compactMap { $0.as(CodeBlockItemListSyntax.self) }
    }

    /// The names of the parameters and the local variables around a node.
    fileprivate var namesAround: Set<String> {
        let locals = blocksAround.flatMap { block in
            block.compactMap { $0.item.as(DeclSyntax.self) }.filter { !$0.is(FunctionDeclSyntax.self) }
                .flatMap(\.declaredNames)
        }
        let clauses = sequence(first: Syntax(self), next: \.parent).dropFirst().compactMap { node in
            node.as(InitializerDeclSyntax.self)?.signature.parameterClause
                ?? node.as(FunctionDeclSyntax.self)?.signature.parameterClause
        }
        let parameters = clauses.flatMap(\.parameters).map { ($0.secondName ?? $0.firstName).text }
        return Set(locals + parameters)
    }

    /// The names of the local functions around a node.
    fileprivate var functionsAround: [String] {
        blocksAround.flatMap { $0.compactMap { $0.item.as(FunctionDeclSyntax.self)?.name.text } }
    }

    /// Returns the initial value of a local constant around a node.
    fileprivate func localValue(of name: String) -> ExprSyntax? {
        for block in blocksAround {
            for item in block {
                guard let variable = item.item.as(VariableDeclSyntax.self) else { continue }
                for binding in variable.bindings where binding.pattern.trimmedDescription == name {
                    return binding.initializer?.value
                }
            }
        }
        return nil
    }
}

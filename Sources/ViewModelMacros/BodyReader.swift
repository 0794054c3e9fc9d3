import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// A reader of the bodies in a ViewModel, which reports mistakes that compile or whose errors say little.
final class BodyReader: SyntaxVisitor {
    private(set) var diagnostics: [Diagnostic] = []
    private let memberNames: Set<String>
    private let methodNames: Set<String>
    private let listNames: Set<String>
    private let eventNames: Set<String>
    private let clockNames: Set<String>
    private let isModel: Bool
    /// The names that the code of the present member gives to values and functions of its own.
    private var locals: Set<String> = []
    /// Whether the present member belongs to the type, and has no object.
    private var isStatic = false
    /// The tasks that are reported.
    private var foundTasks: Set<SyntaxIdentifier> = []

    /// Reads the bodies of a ViewModel, or of a shared model, which has no groups.
    init(_ declaration: ClassDeclSyntax, isModel: Bool = false) {
        self.isModel = isModel
        clockNames = declaration.properties(of: ["SessionClock"])
        memberNames = Set(declaration.memberBlock.members.flatMap { $0.decl.declaredNames })
        methodNames = Set(declaration.memberBlock.members.compactMap { $0.decl.as(FunctionDeclSyntax.self)?.name.text })
        listNames = Set(
            declaration.memberBlock.members.compactMap { item in
                guard let variable = item.decl.as(VariableDeclSyntax.self), variable.bindings.count == 1,
                    let binding = variable.bindings.first, binding.typeAnnotation?.type.rowType != nil,
                    !binding.isComputed, variable.attributes.has("Output") || variable.attributes.has("State")
                else { return nil }
                return binding.identifier?.text.withoutBackticks
            }
        )
        eventNames = Set(
            declaration.memberBlock.members.compactMap { item in
                guard let variable = item.decl.as(VariableDeclSyntax.self), variable.attributes.has("Event") else {
                    return nil
                }
                return variable.bindings.first { !$0.isComputed }?.identifier?.text.withoutBackticks
            }
        )
        super.init(viewMode: .sourceAccurate)
        walk(declaration.memberBlock)
    }

    override func visit(_ node: MemberBlockItemSyntax) -> SyntaxVisitorContinueKind {
        let reads = CodeReads(node.decl)
        locals = reads.locals.union(reads.rebound)
        let modifiers =
            node.decl.as(FunctionDeclSyntax.self)?.modifiers ?? node.decl.as(VariableDeclSyntax.self)?.modifiers
        isStatic = modifiers?.staticModifier != nil
        return .visitChildren
    }

    // The code of another type has its own names and its own executor.

    override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    // MARK: Closures

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        // Swift refuses such a use of the object, and says nothing about the remedy.
        if !isStatic, node.leavesSession, node.closures.contains(where: usesObject) { report(task: node) }
        let isForeign = isModel && ["Action", "ListedAction", "Input", "Outputs", "Actions"].contains(node.calledName)
        switch isForeign ? nil : node.calledName {
        case "Action", "ListedAction":
            for closure in node.closures { checkCaptures(of: closure, severity: .error) }
        case "busy", "retry", "flatMapLatest":
            for closure in node.closures { checkCaptures(of: closure, severity: .warning) }
        case "sink", "Input", "timer":
            for closure in node.closures { findTasks(in: closure.statements) }
        case "send": checkSent(node)
        case "Outputs":
            for argument in node.arguments { checkOutput(argument) }
            findOwner(in: node)
        case "Actions":
            findOwner(in: node)
        default: break
        }
        return .visitChildren
    }

    /// Reports a capture list on a closure that suspends; as a warning if a function of the same name may be another one.
    private func checkCaptures(of closure: ClosureExprSyntax, severity: DiagnosticSeverity) {
        guard let signature = closure.signature, let captures = signature.capture, closure.suspends else { return }
        var new = signature.with(\.capture, nil)
        let isEmpty =
            new.parameterClause == nil && new.effectSpecifiers == nil && new.returnClause == nil
            && new.attributes.isEmpty
        if !isEmpty { new = new.with(\.leadingTrivia, signature.leadingTrivia) }
        let changed = closure.with(\.signature, isEmpty ? nil : new)
        let fix = FixIt("remove the capture list", replacing: closure, with: changed)
        diagnostics.report(captures, .captureList, fix: fix, severity: severity)
    }

    private func findTasks(in statements: CodeBlockItemListSyntax) {
        for call in statements.nodesInside().compactMap({ $0.as(FunctionCallExprSyntax.self) }) where call.startsTask {
            report(task: call)
        }
    }

    private func report(task: FunctionCallExprSyntax) {
        guard foundTasks.insert(task.calledExpression.id).inserted else { return }
        diagnostics.report(task.calledExpression, .ownTask, severity: .warning)
    }

    /// Returns whether a closure names the object or one of its members.
    private func usesObject(_ closure: ClosureExprSyntax) -> Bool {
        closure.statements.nodesInside().compactMap { $0.as(ExprSyntax.self) }.contains { expression in
            let isMember = expression.parent?.as(MemberAccessExprSyntax.self)?.declName.id == expression.id
            return !isMember
                && (expression.as(DeclReferenceExprSyntax.self)?.baseName.tokenKind == .keyword(.self)
                    || property(expression, from: memberNames) != nil)
        }
    }

    /// Reports an event that is sent by its property.
    private func checkSent(_ call: FunctionCallExprSyntax) {
        guard let base = call.calledExpression.as(MemberAccessExprSyntax.self)?.base,
            let event = property(base, from: eventNames)
        else { return }
        let fix = FixIt("write `$\(event)`", replacing: base, with: ExprSyntax("$\(raw: event)"))
        diagnostics.report(base, .eventSent, event, fix: fix, severity: .warning)
    }

    /// Reports the first use of the object in closures of a group in `init`, and of its methods.
    ///
    /// Outside of closures `self` may be read for a property that has its value.
    private func findOwner(in group: FunctionCallExprSyntax) {
        guard group.isInInit else { return }
        let methods = methodNames.subtracting(locals)
        for reference in group.arguments.nodesInside().compactMap({ $0.as(DeclReferenceExprSyntax.self) }) {
            let access = reference.parent?.as(MemberAccessExprSyntax.self)
            // The name of a member is not a reference to a method of the object.
            if let access, access.declName.id == reference.id { continue }
            let isSelf = reference.baseName.text == "self"
            let name = isSelf ? access?.declName.baseName.text : reference.baseName.text
            let method = name.flatMap { methods.contains($0) ? $0 : nil }
            if method != nil || isSelf && reference.isInClosure(of: group) {
                let subject = method.map { "`\($0)` is a method of `self`, which" } ?? "`self`"
                let moved = method.map { "`\($0)`" } ?? "the code"
                return diagnostics.report(reference, .incompleteOwner, subject, moved)
            }
        }
    }

    /// Reports a cell as the value of an output.
    private func checkOutput(_ argument: LabeledExprSyntax) {
        guard let name = argument.expression.as(DeclReferenceExprSyntax.self)?.baseName.text,
            let made = argument.expression.localValue(of: name)?.as(FunctionCallExprSyntax.self)?.calledName,
            let type = ["Cell": "Output", "Derived": "Output", "ListCell": "ListOutput", "hold": "Output"][made]
        else { return }
        let wrapped = ExprSyntax("\(raw: type)(\(raw: name))")
        let fix = FixIt("write `\(wrapped)`", replacing: argument.expression, with: wrapped)
        diagnostics.report(argument.expression, .cellAsOutput, "\(wrapped)", fix: fix)
    }

    // MARK: Statements

    /// Reports a list that is set, and a timer that is not kept.
    ///
    /// The setter of a list is unavailable, and the compiler offers no fix.
    override func visit(_ node: SequenceExprSyntax) -> SyntaxVisitorContinueKind {
        let parts = Array(node.elements)
        guard parts.count > 2, parts[1].is(AssignmentExprSyntax.self) else { return .visitChildren }
        if parts[0].is(DiscardAssignmentExprSyntax.self),
            let call = parts[2].as(FunctionCallExprSyntax.self), call.calledName == "timer",
            call.arguments.first?.label?.text == "after",
            let clock = call.calledExpression.as(MemberAccessExprSyntax.self)?.base,
            property(clock, from: clockNames) != nil
        {
            diagnostics.report(parts[0], .droppedTimer, severity: .warning)
        }
        guard let list = property(parts[0], from: listNames) else { return .visitChildren }
        let rows = parts[2...].map(\.description).joined().drop(while: \.isWhitespace)
        let call: ExprSyntax = "\(parts[0].trimmed).replaceAll(with: \(raw: rows))"
        let fix = FixIt("write `\(list).replaceAll(with: …)`", replacing: node, with: call)
        diagnostics.report(parts[0], .listAssigned, list, fix: fix, severity: .warning)
        return .visitChildren
    }

    /// Returns the property of the class that an expression is, if its name is one of `names`.
    private func property(_ expression: ExprSyntax, from names: Set<String>) -> String? {
        guard let name = expression.memberName, names.contains(name),
            expression.is(MemberAccessExprSyntax.self) || !locals.contains(name)
        else { return nil }
        return name
    }

    /// Reports the first property that an `async let` reads.
    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        guard node.modifiers.contains(where: { $0.name.text == "async" }) else { return .visitChildren }
        let properties = memberNames.subtracting(methodNames)
        let read = node.bindings.nodesInside().compactMap { $0.as(ExprSyntax.self) }.first { expression in
            // The name of a member is not a reference to a property.
            let isMember = expression.parent?.as(MemberAccessExprSyntax.self)?.declName.id == expression.id
            return !isMember && property(expression, from: properties) != nil
        }
        if let read, let name = property(read, from: properties) {
            diagnostics.report(read, .asyncLet, name, severity: .warning)
        }
        return .visitChildren
    }

    // MARK: Local functions

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        guard let body = node.body else { return .visitChildren }
        if node.memberAttribute?.kind.isOfFunctions == true { findTasks(in: body.statements) }
        guard node.signature.effectSpecifiers?.asyncSpecifier != nil, node.parent?.is(CodeBlockItemSyntax.self) == true
        else { return .visitChildren }
        let outer = node.namesAround.union(memberNames).union(["self"]).subtracting(CodeReads(node).locals)
        let captures = body.nodesInside().compactMap { $0.as(DeclReferenceExprSyntax.self) }.contains { reference in
            // The name of a member is not a reference to a variable.
            let isMember = reference.parent?.as(MemberAccessExprSyntax.self)?.declName.id == reference.id
            return !isMember && outer.contains(reference.baseName.text)
        }
        if captures { diagnostics.report(node.name, .localAsyncFunction, node.name.text, severity: .warning) }
        return .visitChildren
    }
}

extension ClosureExprSyntax {
    /// Whether the closure is `async`, as its signature or its statements show.
    fileprivate var suspends: Bool {
        if signature?.effectSpecifiers?.asyncSpecifier != nil { return true }
        // Nested closures and functions suspend for themselves.
        let own = statements.nodesInside { !$0.is(ClosureExprSyntax.self) && !$0.is(FunctionDeclSyntax.self) }
        return own.contains { $0.is(AwaitExprSyntax.self) || $0.as(ForStmtSyntax.self)?.awaitKeyword != nil }
    }
}

extension FunctionCallExprSyntax {
    /// The closures among the arguments, trailing ones included.
    fileprivate var closures: [ClosureExprSyntax] {
        arguments.compactMap { $0.expression.as(ClosureExprSyntax.self) }
            + (trailingClosure.map { [$0] } ?? []) + additionalTrailingClosures.map(\.closure)
    }

    /// Whether the call starts a task for whose value the body does not wait.
    fileprivate var startsTask: Bool {
        let access = parent?.as(MemberAccessExprSyntax.self)?.declName.baseName.text
        return ["Task", "Task.detached", "Task.immediate"].contains(calledExpression.trimmedDescription)
            && !closures.isEmpty && !["value", "result"].contains(access)
    }
}

extension FunctionCallExprSyntax {
    /// Whether the call runs its closure on another executor, queue or run loop.
    fileprivate var leavesSession: Bool {
        let callee = calledExpression.trimmedDescription
        return startsTask || ["MainActor.run", "Timer.scheduledTimer"].contains(callee)
            || callee.hasPrefix("Timer.publish(")
            || callee.hasPrefix("DispatchQueue.") && [".async", ".asyncAfter"].contains { callee.hasSuffix($0) }
    }
}

extension DeclSyntax {
    /// The names of the variables and functions that a declaration introduces.
    fileprivate var declaredNames: [String] {
        if let variable = self.as(VariableDeclSyntax.self) {
            return variable.bindings.flatMap(\.pattern.names)
        }
        return self.as(FunctionDeclSyntax.self).map { [$0.name.text] } ?? []
    }
}

extension PatternSyntax {
    /// The names that a pattern of a declaration introduces.
    fileprivate var names: [String] {
        if let name = self.as(IdentifierPatternSyntax.self)?.identifier.text { return [name] }
        return self.as(TuplePatternSyntax.self)?.elements.flatMap(\.pattern.names) ?? []
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
    /// Returns the nodes inside, in the order of the source, without those that `isWanted` excludes and their insides.
    ///
    /// Types inside have their own code.
    fileprivate func nodesInside(where isWanted: (Syntax) -> Bool = { _ in true }) -> [Syntax] {
        children(viewMode: .sourceAccurate).filter { isWanted($0) && !$0.isProtocol((any DeclGroupSyntax).self) }
            .flatMap { [$0] + $0.nodesInside(where: isWanted) }
    }

    /// Returns whether a closure inside of a node encloses this one.
    fileprivate func isInClosure(of outer: some SyntaxProtocol) -> Bool {
        sequence(first: Syntax(self), next: \.parent).prefix { $0.id != outer.id }.contains {
            $0.is(ClosureExprSyntax.self)
        }
    }

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

    /// Returns the initial value of a local constant around a node.
    fileprivate func localValue(of name: String) -> ExprSyntax? {
        let variables = blocksAround.joined().lazy.compactMap { $0.item.as(VariableDeclSyntax.self) }
        return variables.flatMap(\.bindings).first { $0.identifier?.text == name }?.initializer?.value
    }
}

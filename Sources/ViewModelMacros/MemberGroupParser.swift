import SwiftDiagnostics
import SwiftSyntax

/// A parser for the members of a group's declaration.
struct MemberGroupParser {
    let group: MemberGroup
    private(set) var members: [GroupMember] = []
    private(set) var diagnostics: [Diagnostic] = []
    /// Whether the group declares types, which code outside of the group names differently.
    private let hasOwnTypes: Bool

    init(_ group: MemberGroup, _ declaration: StructDeclSyntax) {
        self.group = group
        hasOwnTypes = declaration.memberBlock.members.contains { item in
            item.decl.is(TypeAliasDeclSyntax.self) || item.decl.asProtocol((any DeclGroupSyntax).self) != nil
        }
        for item in declaration.memberBlock.members {
            if let variable = item.decl.as(VariableDeclSyntax.self) {
                read(variable)
            } else if item.decl.is(IfConfigDeclSyntax.self) {
                diagnose(item.decl, .conditional(group))
            } else if item.decl.is(FunctionDeclSyntax.self) || item.decl.is(SubscriptDeclSyntax.self) {
                diagnose(item.decl, .notAMember(group))
            }
        }
    }

    private mutating func diagnose(
        _ node: some SyntaxProtocol,
        _ diagnostic: ViewModelDiagnostic,
        _ fixIts: [FixIt] = []
    ) {
        diagnostics.append(Diagnostic(node: node, message: diagnostic, fixIts: fixIts))
    }

    private mutating func read(_ variable: VariableDeclSyntax) {
        if let modifier = variable.modifiers.first(where: { ["static", "class"].contains($0.name.text) }) {
            return diagnose(modifier, .memberStatic(group))
        }
        if let modifier = variable.modifiers.first(where: { $0.name.text == "private" && $0.detail == nil }) {
            diagnose(modifier, .memberPrivate(group))
        }
        let names = variable.bindings.map { $0.pattern.trimmedDescription }
        if let computed = variable.bindings.first(where: { $0.isComputed }) {
            return diagnose(computed, .memberComputed(names[0], group))
        }
        if variable.bindingSpecifier.tokenKind != .keyword(.let) {
            diagnose(
                variable.bindingSpecifier,
                .memberNotLet(names.joined(separator: ", ")),
                [.replacing(variable.bindingSpecifier, with: .keyword(.let))]
            )
        }

        let description = DocComment(before: variable, variable.bindingSpecifier).text
        let policy = variable.attributes.argument(of: "Policy")
        let failures = variable.attributes.failures
        let isVolatile = variable.attributes.isVolatile
        for binding in variable.bindings {
            guard let identifier = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier else {
                diagnose(binding.pattern, .pattern(group))
                continue
            }
            let type = binding.type(in: variable.bindings)
            let member = GroupMember(
                group: group,
                identifier: identifier,
                description: description,
                policy: policy,
                failures: failures,
                isVolatile: isVolatile,
                isListed: (type?.name ?? binding.initializer?.value.as(FunctionCallExprSyntax.self)?.calledName)
                    == "ListedAction",
                bounds: group == .inputs || group == .actions ? variable.attributes.bounds() : nil,
                arguments: type?.arguments ?? binding.initializer?.value.specialization ?? [],
                checkedTypes: hasOwnTypes || group == .children ? [] : type?.arguments ?? []
            )
            if !MacroWireName.isMember(member.name) { diagnose(identifier, .invalidMemberName(member.name)) }
            if member.isListed, !MemberGroup.listedPolicies.contains(policy.baseOfPolicy) {
                diagnose(identifier, .listedPolicy("@Policy"))
            }
            checkType(of: member, type, binding.initializer?.value)
            for argument in type?.argumentTypes ?? [] where argument.isTuple { diagnose(argument, .tupleArgument) }
            members.append(member)
        }
    }

    /// Reports a type that the group does not allow, as far as the syntax shows the type.
    private mutating func checkType(
        of member: GroupMember,
        _ type: TypeSyntax?,
        _ value: ExprSyntax?
    ) {
        guard let allowed = group.memberTypes else { return }
        if let type {
            if !(type.name.map(allowed.contains) ?? false) {
                diagnose(type, .memberOfOtherType(member.identifier.text, group))
            }
        } else if let value, let isAllowed = value.makes(oneOf: allowed), !isAllowed {
            diagnose(value, .memberOfOtherType(member.identifier.text, group))
        }
    }
}

extension PatternBindingSyntax {
    /// Whether the property is computed.
    var isComputed: Bool {
        guard let block = accessorBlock else { return false }
        guard case .accessors(let accessors) = block.accessors else { return true }
        return accessors.contains { !["willSet", "didSet"].contains($0.accessorSpecifier.text) }
    }
}

extension PatternBindingSyntax {
    /// Returns the type that is written for the property.
    func type(in all: PatternBindingListSyntax) -> TypeSyntax? {
        if typeAnnotation != nil || initializer != nil { return typeAnnotation?.type }
        // In `let a, b: Output<Int>` the type follows the last name.
        return all.drop { $0.id != id }.first { $0.typeAnnotation != nil }?.typeAnnotation?.type
    }
}

extension AttributeListSyntax {
    /// The source text of the error type of `@Throws`.
    var failures: String? {
        argument(of: "Throws").map { $0.hasSuffix(".self") ? String($0.dropLast(5)) : $0 }
    }

    /// Whether there is the attribute `@Volatile`.
    var isVolatile: Bool {
        contains { $0.as(AttributeSyntax.self)?.attributeName.name == "Volatile" }
    }

    /// Returns the source text of the argument of an attribute.
    fileprivate func argument(of name: String) -> String? {
        for case .attribute(let attribute) in self where attribute.attributeName.name == name {
            guard case .argumentList(let arguments) = attribute.arguments else { continue }
            return arguments.first?.expression.trimmedDescription
        }
        return nil
    }
}

extension TypeSyntax {
    /// The name of the type, without its module and generic arguments.
    var name: String? {
        self.as(IdentifierTypeSyntax.self)?.name.text ?? self.as(MemberTypeSyntax.self)?.name.text
    }

    /// The source texts of the generic arguments.
    var arguments: [String] { argumentClause?.texts ?? [] }

    /// The generic arguments that are types.
    fileprivate var argumentTypes: [TypeSyntax] {
        argumentClause?.arguments.compactMap { $0.argument.as(TypeSyntax.self) } ?? []
    }

    /// Whether the type is a tuple of several values.
    var isTuple: Bool { (self.as(TupleTypeSyntax.self)?.elements.count ?? 0) > 1 }

    private var argumentClause: GenericArgumentClauseSyntax? {
        self.as(IdentifierTypeSyntax.self)?.genericArgumentClause
            ?? self.as(MemberTypeSyntax.self)?.genericArgumentClause
    }
}

extension GenericArgumentClauseSyntax {
    fileprivate var texts: [String] { arguments.map(\.argument.trimmedDescription) }
}

extension FunctionCallExprSyntax {
    /// The name of the function or the type that is called, without its module and generic arguments.
    var calledName: String? {
        var callee = calledExpression
        if let generic = callee.as(GenericSpecializationExprSyntax.self) { callee = generic.expression }
        return callee.as(DeclReferenceExprSyntax.self)?.baseName.text
            ?? callee.as(MemberAccessExprSyntax.self)?.declName.baseName.text
    }
}

extension ExprSyntax {
    /// The source texts of the generic arguments of the type that is called, as in `Input<Int>()`.
    fileprivate var specialization: [String]? {
        let callee = self.as(FunctionCallExprSyntax.self)?.calledExpression
        return callee?.as(GenericSpecializationExprSyntax.self)?.genericArgumentClause.texts
    }

    /// Returns whether the expression creates a value of one of the types, or nil if the syntax does not show it.
    fileprivate func makes(oneOf types: [String]) -> Bool? {
        guard let call = self.as(FunctionCallExprSyntax.self) else {
            return isLiteral ? false : nil
        }
        guard let name = call.calledName, name.first?.isUppercase == true else { return nil }
        return types.contains(name)
    }

    private var isLiteral: Bool {
        switch kind {
        case .integerLiteralExpr, .floatLiteralExpr, .stringLiteralExpr, .booleanLiteralExpr, .nilLiteralExpr,
            .arrayExpr, .dictionaryExpr, .closureExpr, .tupleExpr:
            true
        default: false
        }
    }
}

extension FixIt {
    /// Returns a fix-it that replaces a token.
    static func replacing(_ token: TokenSyntax, with kind: TokenKind, saying text: String? = nil) -> FixIt {
        let new = token.with(\.tokenKind, kind)
        return FixIt(
            message: FixItText(message: "write `\(text ?? new.text)`"),
            changes: [.replace(oldNode: Syntax(token), newNode: Syntax(new))]
        )
    }
}

import SwiftSyntax
import SwiftSyntaxBuilder

extension TypeSyntax {
    /// The name of the type, without its module and generic arguments.
    var name: String? {
        self.as(IdentifierTypeSyntax.self)?.name.text ?? self.as(MemberTypeSyntax.self)?.name.text
    }

    /// The generic arguments that are types.
    var argumentTypes: [TypeSyntax] {
        let clause =
            self.as(IdentifierTypeSyntax.self)?.genericArgumentClause
            ?? self.as(MemberTypeSyntax.self)?.genericArgumentClause
        return clause?.arguments.compactMap { $0.argument.as(TypeSyntax.self) } ?? []
    }

    /// The source texts of the generic arguments.
    var arguments: [String] { argumentTypes.map(\.trimmedDescription) }

    /// Whether the type is or has a tuple of several values.
    var isTuple: Bool { Syntax(self).hasTuple }

    /// Whether the type is written as an optional.
    var isOptional: Bool { self.is(OptionalTypeSyntax.self) || name == "Optional" }

    /// The type of the rows if the type is `Rows<Row>` or `ListCell<Row>`.
    var rowType: String? { ["Rows", "ListCell"].contains(name) ? arguments.first : nil }

    /// The type of the values if the type is `Event<Value>`.
    var eventType: String? { name == "Event" ? arguments.first : nil }

    /// The type of the elements if the type is `[Element]` or `Array<Element>`.
    var elementType: String? {
        self.as(ArrayTypeSyntax.self)?.element.trimmedDescription ?? (name == "Array" ? arguments.first : nil)
    }

    /// The reason for which no value of the type can be sent, as far as the syntax shows it.
    var refusal: Mistake? {
        if isTuple { return .tupleParameter }
        let isSpecial =
            self.is(AttributedTypeSyntax.self) || self.is(FunctionTypeSyntax.self)
            || self.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
            || self.as(SomeOrAnyTypeSyntax.self)?.someOrAnySpecifier.text == "some"
        return isSpecial ? .specialType : nil
    }
}

extension Syntax {
    fileprivate var hasTuple: Bool {
        (self.as(TupleTypeSyntax.self)?.elements.count ?? 0) > 1
            || children(viewMode: .sourceAccurate).contains { $0.hasTuple }
    }
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
    /// The type of the value, as far as the syntax shows it.
    var literalType: TypeSyntax? {
        switch kind {
        case .integerLiteralExpr: "Int"
        case .floatLiteralExpr: "Double"
        case .stringLiteralExpr: "String"
        case .booleanLiteralExpr: "Bool"
        default: self.as(PrefixOperatorExprSyntax.self)?.expression.literalType
        }
    }

    /// The type of which the expression calls an initialiser, as in `Header(1)`.
    var madeType: TypeSyntax? {
        guard let call = self.as(FunctionCallExprSyntax.self),
            let name = call.calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text,
            name.first?.isUppercase == true
        else { return nil }
        return "\(raw: name)"
    }

    /// The source texts of the generic arguments of the type that is called, as in `Input<Int>()`.
    var specialization: [String]? {
        let callee = self.as(FunctionCallExprSyntax.self)?.calledExpression
        return callee?.as(GenericSpecializationExprSyntax.self)?.genericArgumentClause.arguments
            .map(\.argument.trimmedDescription)
    }

    /// The source text of the type if the expression is an initialiser, such as `Row.init` or `Row.init(episode:)`.
    var initialisedType: String? {
        guard let member = self.as(MemberAccessExprSyntax.self), member.declName.baseName.tokenKind == .keyword(.`init`)
        else { return nil }
        return member.base?.trimmedDescription
    }

    /// Whether the expression can be no key path: a literal, a closure or a negation.
    var isNeverPath: Bool {
        Self.literals.subtracting([.tupleExpr]).contains(kind)
            || self.as(PrefixOperatorExprSyntax.self)?.operator.text == "!"
    }

    /// Returns whether the expression creates a value of one of the types, or nil if the syntax does not show it.
    func makes(oneOf types: [String]) -> Bool? {
        guard let call = self.as(FunctionCallExprSyntax.self) else { return Self.literals.contains(kind) ? false : nil }
        guard let name = call.calledName, name.first?.isUppercase == true else { return nil }
        return types.contains(name)
    }

    private static let literals: Set<SyntaxKind> = [
        .integerLiteralExpr, .floatLiteralExpr, .stringLiteralExpr, .booleanLiteralExpr, .nilLiteralExpr, .arrayExpr,
        .dictionaryExpr, .closureExpr, .tupleExpr,
    ]
}

extension ThrowsClauseSyntax {
    /// The source text of the error type, unless it is one without declared failures.
    var declaredFailures: String? {
        let undeclared = ["ActionFailure", "InvalidValue", "LimitExceeded", "CancellationError", "Never", "Error"]
        guard let type, !type.is(SomeOrAnyTypeSyntax.self), !undeclared.contains(type.name ?? "") else { return nil }
        return type.trimmedDescription
    }
}

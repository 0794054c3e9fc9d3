import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import TextPatterns

/// The attribute `@Bounds`, as far as the syntax shows it.
struct BoundsAttribute {
    /// The name of the parameter, or nil for the value itself.
    let parameter: String?
    /// The source text of the arguments of an initialiser of `Bounds`.
    let arguments: String
    /// The regular expression and its place.
    let pattern: (text: String, node: ExprSyntax)?

    init?(_ attribute: AttributeSyntax) {
        guard attribute.plainName == "Bounds", !attribute.argumentList.isEmpty else { return nil }
        var arguments = attribute.argumentList
        let first = arguments.first
        if first?.label == nil, let literal = first?.expression.as(StringLiteralExprSyntax.self) {
            parameter = literal.plainText
            arguments.removeFirst()
        } else {
            parameter = nil
        }
        self.arguments = arguments.map { argument in
            (argument.label.map { "\($0.text): " } ?? "") + argument.expression.trimmedDescription
        }.joined(separator: ", ")
        pattern = arguments.first { $0.label?.text == "matching" }.flatMap { argument in
            argument.expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue.map {
                ($0, argument.expression)
            }
        }
    }

    func mistakes(of attribute: AttributeSyntax, on declaration: some DeclSyntaxProtocol) -> [Diagnostic] {
        var mistakes: [Diagnostic] = []
        if let pattern {
            do {
                _ = try TextPattern(pattern.text)
            } catch {
                mistakes.report(pattern.node, .boundsPattern, error.description)
            }
        }
        if let type = typeOfValue(in: declaration) {
            if ["Bool", "Date", "Data"].contains(type) {
                mistakes.report(attribute, .boundsOfType, type)
            } else if let pattern, ["Int", "Double"].contains(type) {
                mistakes.report(pattern.node, .patternOfType, type)
            }
        }
        guard let function = declaration.as(FunctionDeclSyntax.self) else {
            if let parameter { mistakes.report(attribute, .boundsOfProperty, parameter.asLiteral) }
            return mistakes
        }
        let parameters = function.signature.parameterClause.parameters
        let names = parameters.filter { $0.type.name != "Execution" }.map(\.nameInParams)
        if names.count == 1, parameters.first?.firstName.tokenKind == .wildcard {
            if parameter != nil { mistakes.report(attribute, .boundsOfValue) }
        } else if function.memberAttribute != nil, !names.contains(parameter ?? "") {
            let written = names.map { "`@Bounds(\($0.asLiteral), …)`" }.joined(separator: " or ")
            let remedy = names.isEmpty ? "the function has none" : "write \(written)"
            mistakes.report(attribute, .boundsWithoutParameter, remedy)
        }
        return mistakes
    }

    /// Returns the name of the value's type, as far as the syntax shows it.
    func typeOfValue(in declaration: some DeclSyntaxProtocol) -> String? {
        if let function = declaration.as(FunctionDeclSyntax.self) {
            let parameters = function.signature.parameterClause.parameters
            return parameters.first { parameter == nil || $0.nameInParams == parameter }?.type.valueName
        }
        guard let binding = declaration.as(VariableDeclSyntax.self)?.bindings.first else { return nil }
        if let type = binding.typeAnnotation?.type { return type.valueName }
        return binding.initializer?.value.is(BooleanLiteralExprSyntax.self) == true ? "Bool" : nil
    }
}

extension TypeSyntax {
    /// The name of the type, or of the type in an optional.
    fileprivate var valueName: String? {
        if let optional = self.as(OptionalTypeSyntax.self) { return optional.wrappedType.valueName }
        return name
    }
}

extension AttributeListSyntax {
    /// Returns the source text of the arguments of `Bounds` for a parameter, or for the value itself; nil without bounds.
    func bounds(of parameter: String? = nil) -> String? {
        compactMap { $0.as(AttributeSyntax.self).flatMap(BoundsAttribute.init) }.first { $0.parameter == parameter }?
            .arguments
    }
}

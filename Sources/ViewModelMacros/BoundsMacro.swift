import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacros
import TextPatterns

/// The macro `@Bounds` for a value that clients send.
///
/// `@Schemable` and `@ViewModel` read the attribute; this macro only checks it.
enum BoundsMacro: PeerMacro {
    /// Returns the declarations beside the member.
    static func expansion(
        of node: AttributeSyntax,
        providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let attribute = BoundsAttribute(node) else { return [] }
        func diagnose(_ node: some SyntaxProtocol, _ message: ViewModelDiagnostic) {
            context.diagnose(Diagnostic(node: node, message: message))
        }
        if let pattern = attribute.pattern {
            do {
                _ = try TextPattern(pattern.text)
            } catch {
                diagnose(pattern.node, .boundsPattern(error.description))
            }
        }
        if let type = attribute.typeOfValue(in: declaration) {
            if ["Bool", "Date", "Data"].contains(type) {
                diagnose(node, .boundsOfType(type))
            } else if let pattern = attribute.pattern, ["Int", "Double"].contains(type) {
                diagnose(pattern.node, .patternOfType(type))
            }
        }
        if let function = declaration.as(FunctionDeclSyntax.self) {
            guard DeclSyntax(function).shortAttribute != nil else {
                diagnose(node, .boundsElsewhere)
                return []
            }
            let names = function.signature.parameterClause.parameters.compactMap { parameter in
                parameter.type.name == "Execution" ? nil : parameter.nameInParams
            }
            let isValue = function.signature.parameterClause.parameters.first?.firstName.tokenKind == .wildcard
            switch attribute.parameter {
            case nil where names.count != 1 || !isValue: diagnose(node, .boundsWithoutParameter(names))
            case let name? where !names.contains(name) || names.count == 1 && isValue:
                diagnose(node, names.count == 1 && isValue ? .boundsOfValue : .boundsWithoutParameter(names))
            default: break
            }
            return []
        }
        if let parameter = attribute.parameter { diagnose(node, .boundsOfProperty(parameter)) }
        let enclosing = context.lexicalContext.first?.as(StructDeclSyntax.self)
        let isInGroup = [MemberGroup.inputs, .actions].map(\.typeName).contains(enclosing?.name.text ?? "")
        let isInValue = enclosing?.attributes.contains {
            $0.as(AttributeSyntax.self)?.attributeName.name == "Schemable"
        }
        let isField = DeclSyntax(declaration).shortAttribute?.kind == .field
        if !declaration.is(VariableDeclSyntax.self) || !isInGroup && isInValue != true && !isField {
            diagnose(node, .boundsElsewhere)
        }
        return []
    }
}

/// The attribute `@Bounds`, as far as the syntax shows it.
struct BoundsAttribute {
    /// The name of the parameter, or nil for the value itself.
    let parameter: String?
    /// The source text of the arguments of an initialiser of `Bounds`.
    let arguments: String
    /// The regular expression and its place.
    let pattern: (text: String, node: ExprSyntax)?

    init?(_ attribute: AttributeSyntax) {
        guard attribute.attributeName.name == "Bounds", case .argumentList(let list) = attribute.arguments else {
            return nil
        }
        var arguments = Array(list)
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

extension FunctionParameterSyntax {
    /// The name of the parameter in the params.
    var nameInParams: String {
        (firstName.tokenKind == .wildcard ? secondName ?? firstName : firstName).text.withoutBackticks
    }
}

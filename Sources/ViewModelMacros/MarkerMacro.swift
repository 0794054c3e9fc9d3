import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// The macros `@Policy`, `@Throws`, `@Volatile`, `@Retryable`, `@Bounds` and `@Formerly` for attributes that another macro reads.
///
/// This macro only checks them and their position.
enum MarkerMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let structure = context.lexicalContext.first?.as(StructDeclSyntax.self)
        let isConstant = declaration.is(VariableDeclSyntax.self)
        let group = isConstant ? MemberGroup.allCases.first { $0.typeName == structure?.name.text } : nil
        let kind = declaration.memberAttribute?.kind
        let isRight =
            switch node.plainName {
            case "Retryable": declaration.is(EnumCaseDeclSyntax.self)
            case "Volatile": group == .outputs || [.output, .rows, .event].contains(kind)
            case "Throws": group == .actions || kind == .action
            case "Formerly": isConstant && structure?.attributes.has("Schemable") == true
            case "Bounds":
                declaration.is(FunctionDeclSyntax.self)
                    ? kind != nil
                    : isConstant
                        && ([.inputs, .actions].contains(group) || kind == .field
                            || structure?.attributes.has("Schemable") == true)
            default: group == .actions || group == .ownActions
            }
        if !isRight { context.diagnose(.misplaced(node.plainName, at: node)) }
        BoundsAttribute(node)?.mistakes(of: node, on: declaration).forEach(context.diagnose)
        return []
    }
}

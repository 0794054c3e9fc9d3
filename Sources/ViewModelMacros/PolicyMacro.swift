import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// `@Policy(.latest)` on an action: `@ViewModel` reads it, by itself it only checks where it stands.
struct PolicyMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let parent = context.lexicalContext.first?.as(StructDeclSyntax.self)
        if parent?.name.text != MemberGroup.actions.typeName || !declaration.is(VariableDeclSyntax.self) {
            context.diagnose(Diagnostic(node: node, message: ViewModelDiagnostic.policyOfNoAction))
        }
        return []
    }
}

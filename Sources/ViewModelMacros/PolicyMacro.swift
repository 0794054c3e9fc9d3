import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// The macro `@Policy(.latest)` for an action.
///
/// `@ViewModel` reads its argument; this macro only checks its position.
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

import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The macro `@Schemable`.
///
/// As a member macro it generates the schema of a struct or an enum from its declaration, and reports what it cannot
/// read. As an extension macro it adds the conformances.
enum SchemableMacro: MemberMacro, ExtensionMacro, FormattedMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let reader = SchemaReader(declaration, isNested: !context.lexicalContext.isEmpty)
        reader.diagnostics.forEach(context.diagnose)
        guard reader.diagnostics.isEmpty, let schema = reader.schema else { return [] }
        return ["\(raw: reader.access)static var schema: ViewModelKit.Schema {\n    \(raw: schema)\n}"]
    }

    static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        let reader = SchemaReader(declaration, isNested: !context.lexicalContext.isEmpty)
        guard reader.diagnostics.isEmpty, !protocols.isEmpty else { return [] }
        let names = protocols.map(\.trimmedDescription).joined(separator: ", ")
        return [try ExtensionDeclSyntax("extension \(type.trimmed): \(raw: names) {}")]
    }
}

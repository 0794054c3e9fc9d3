import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The macro `@ViewModel`.
///
/// It generates the contract of a class from its groups and their doc comments.
struct ViewModelMacro: ExtensionMacro {
    /// Disabled, because the expansion below is formatted already.
    static var formatMode: FormatMode { .disabled }

    static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        let reader = ViewModelReader(node, declaration)
        guard reader.diagnostics.isEmpty else {
            reader.diagnostics.forEach(context.diagnose)
            return []
        }
        // `protocols` is empty if the author has written the conformance.
        let conformance = protocols.isEmpty ? "" : ": ViewModelKit.ViewModel"
        let arguments = reader.hasArguments ? ["arguments: Arguments.self,"] : []
        let members =
            reader.members.isEmpty
            ? ["members: []"] : ["members: ["] + reader.members.map { "    \($0.entry)," } + ["]"]
        let lines =
            ["name: \(reader.name.asLiteral),", "description: \(reader.description.asLiteral),"] + arguments + members
        return [
            try ExtensionDeclSyntax(
                """
                extension \(type.trimmed)\(raw: conformance) {
                    \(raw: reader.access)static let contract = ViewModelKit.ViewModelContract<\(type.trimmed)>(
                        \(raw: lines.joined(separator: "\n        "))
                    )
                }
                """
            )
        ]
    }
}

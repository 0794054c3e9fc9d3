import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The macro `@Failure`, which makes the cases of an enum the declared failures of actions.
enum FailureMacro: ExtensionMacro, FormattedMacro {
    static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard let declaration = declaration.as(EnumDeclSyntax.self) else {
            context.diagnose(.misplaced("Failure", at: declaration.introducer))
            return []
        }
        let failures = declaration.cases.map(Failure.init)
        let isNested = !context.lexicalContext.isEmpty
        let mistakes = mistakes(in: declaration, failures, isNested: isNested)
        mistakes.forEach(context.diagnose)
        guard mistakes.isEmpty else { return [] }
        let access = declaration.modifiers.memberAccess
        let missing = protocols.compactMap(\.name).map { $0 == "DeclaredFailure" ? "ViewModelKit.\($0)" : $0 }
        let conformance = missing.isEmpty ? "" : ": \(missing.joined(separator: ", "))"
        // An enum without cases cannot be switched over.
        let outcome =
            failures.isEmpty
            ? "switch self {}"
            : "switch self {\n" + failures.map { "        \($0.outcome)\n" }.joined() + "        }"
        return [
            try ExtensionDeclSyntax(
                """
                extension \(type.trimmed)\(raw: conformance) {
                    \(raw: access)static var failures: [ViewModelKit.FailureContract] {
                        [
                \(raw: failures.map { "            \($0.contract)," }.joined(separator: "\n"))
                        ]
                    }

                    \(raw: access)var failure: ViewModelKit.ActionFailure {
                        \(raw: outcome)
                    }
                }
                """
            ),
            try CheckedType.function(failures.map { ($0.identifier, $0.checkedTypes) }, of: type, in: context),
        ].compactMap(\.self)
    }

    private static func mistakes(
        in declaration: EnumDeclSyntax,
        _ failures: [Failure],
        isNested: Bool
    ) -> [Diagnostic] {
        if let modifier = declaration.modifiers.first(where: { $0.name.text == "private" }), isNested {
            return [Diagnostic(modifier, .nestedPrivate, fix: .replacing(modifier.name, with: .keyword(.fileprivate)))]
        }
        if let conditional = declaration.memberBlock.members.first(where: { $0.decl.is(IfConfigDeclSyntax.self) }) {
            return [Diagnostic(conditional, .conditional, "@Failure", "the cases", "")]
        }
        let unnamed = failures.flatMap(\.unnamed)
        guard unnamed.isEmpty else { return unnamed.map { Diagnostic($0, .unnamedDetail) } }
        let name = failures.map(\.identifier).first { ["failures", "failure"].contains($0.text.withoutBackticks) }
        return name.map { [Diagnostic($0, .failureName, $0.text)] } ?? []
    }

    private struct Failure {
        /// The name of the case as written.
        let identifier: TokenSyntax
        private let parameters: [EnumCaseParameterSyntax]
        private let description: String
        private let isRetryable: Bool

        init(_ element: EnumCaseElementSyntax) {
            identifier = element.name
            parameters = Array(element.parameterClause?.parameters ?? [])
            description = element.comment?.text ?? ""
            isRetryable = element.declaration?.attributes.has("Retryable") == true
        }

        private var name: String { identifier.text.withoutBackticks }
        /// The names of all associated values.
        private var names: [String] { parameters.map { $0.firstName?.text.withoutBackticks ?? "" } }

        /// The associated values but the message.
        private var details: [SchemaReader.Property] {
            zip(names, parameters).filter { $0.0 != "message" }.map { .init(name: $0, type: $1.type) }
        }

        var unnamed: [EnumCaseParameterSyntax] { parameters.filter { [nil, "_"].contains($0.firstName?.text) } }

        var checkedTypes: [CheckedType] { CheckedType.seen(details.map(\.type.trimmedDescription)) }

        var contract: String {
            let entries = details.map { $0.entry($0.name.asLiteral) }.joined(separator: ", ")
            return ".init(\(name.asLiteral), \(description.asLiteral)"
                + (isRetryable ? ", retryable: true" : "")
                + (details.isEmpty ? ")" : ", details: .object([\(entries)]))")
        }

        /// The source text of the case that returns the failure.
        var outcome: String {
            let pattern = names.isEmpty ? "" : "(\(names.map { "let \($0.asIdentifier)" }.joined(separator: ", ")))"
            let message = names.contains("message") ? "message" : description.isEmpty ? nil : description.asLiteral
            let values = details.map { "\($0.name.asLiteral): .encoding(\($0.name.asIdentifier))" }
                .joined(separator: ", ")
            return "case .\(identifier.text)\(pattern): .init(\(name.asLiteral)"
                + (message.map { ", message: \($0)" } ?? "")
                + (details.isEmpty ? "" : ", details: .object([\(values)])")
                + (isRetryable ? ", retryable: true)" : ")")
        }
    }
}

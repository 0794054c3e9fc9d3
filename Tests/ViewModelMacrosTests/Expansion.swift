import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@testable import ViewModelMacros

private let specs = [
    "ViewModel": MacroSpec(
        type: ViewModelMacro.self,
        conformances: [TypeSyntax(IdentifierTypeSyntax(name: .identifier("ViewModel")))]
    ),
    "Policy": MacroSpec(type: PolicyMacro.self),
]

/// Expects that a class with these lines inside gets this contract.
func expectContract(
    _ attribute: String,
    _ declaration: String,
    _ lines: String,
    _ contract: String,
    of type: String = "Calculator",
    access: String = "",
    sourceLocation: Testing.SourceLocation = #_sourceLocation
) {
    let body = "\(declaration) {\n\(lines.indented)}"
    let comment = attribute.replacing(#/@ViewModel(\(.*\))?$/#, with: "")
    assertMacroExpansion(
        "\(attribute)\n\(body)",
        expandedSource: """
            \(comment)\(body.withoutPolicies)

            extension \(type): ViewModelKit.ViewModel {
                \(access)static let contract = ViewModelKit.ViewModelContract<\(type)>(
            \(contract.indented.indented)    )
            }
            """,
        macroSpecs: specs,
        indentationWidth: .spaces(4),
        failureHandler: { record($0, sourceLocation) }
    )
}

/// Expects that a source is refused at a place, and perhaps how it is put right.
func expectComplaint(
    _ source: String,
    _ message: String,
    at line: Int,
    _ column: Int,
    fix: String? = nil,
    fixed: String? = nil,
    sourceLocation: Testing.SourceLocation = #_sourceLocation
) {
    assertMacroExpansion(
        source,
        expandedSource: source.replacing(#/@ViewModel(\(.*\))?\n/#, with: "").withoutPolicies,
        diagnostics: [
            DiagnosticSpec(
                message: message,
                line: line,
                column: column,
                fixIts: fix.map { [FixItSpec(message: $0)] } ?? []
            )
        ],
        macroSpecs: specs,
        applyFixIts: fix.map { [$0] },
        fixedSource: fixed,
        indentationWidth: .spaces(4),
        failureHandler: { record($0, sourceLocation) }
    )
}

private func record(_ failure: TestFailureSpec, _ sourceLocation: Testing.SourceLocation) {
    Issue.record(Comment(rawValue: failure.message), sourceLocation: sourceLocation)
}

extension String {
    fileprivate var indented: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "\n" : "    \($0)\n" }.joined()
            .replacing(/\n+$/, with: "\n")
    }

    fileprivate var withoutPolicies: String {
        replacing(#/@Policy\(\.\w+\) /#, with: "")
    }
}

import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import Testing

@testable import MacroLibrary

/// The types with these names.
private func types(_ names: String...) -> [TypeSyntax] {
    names.map { TypeSyntax(IdentifierTypeSyntax(name: .identifier($0))) }
}

private let specs = [
    "ViewModel": MacroSpec(type: ViewModelMacro.self, conformances: types("ViewModel")),
    "Policy": MacroSpec(type: MarkerMacro.self),
    "Volatile": MacroSpec(type: MarkerMacro.self),
    "Bounds": MacroSpec(type: MarkerMacro.self),
    "Formerly": MacroSpec(type: MarkerMacro.self),
    "State": MacroSpec(type: ViewModelMemberMacro.self),
    "Field": MacroSpec(type: ViewModelMemberMacro.self),
    "Output": MacroSpec(type: ViewModelMemberMacro.self),
    "Event": MacroSpec(type: ViewModelMemberMacro.self),
    "Rows": MacroSpec(type: ViewModelMemberMacro.self),
    "Child": MacroSpec(type: ViewModelMemberMacro.self),
    "Input": MacroSpec(type: ViewModelMemberMacro.self),
    "Action": MacroSpec(type: ViewModelMemberMacro.self),
    "Failure": MacroSpec(type: FailureMacro.self, conformances: types("DeclaredFailure")),
    "Retryable": MacroSpec(type: MarkerMacro.self),
    "SharedModel": MacroSpec(type: SharedModelMacro.self, conformances: types("SharedModel")),
    "Schemable": MacroSpec(type: SchemableMacro.self, conformances: types("Schemable", "Codable", "Equatable")),
]

/// Returns the declarations around a node, from the inside out.
private func lexicalContext(of node: Syntax) -> [Syntax] {
    sequence(first: node, next: \.parent).dropFirst().filter { $0.isProtocol((any DeclGroupSyntax).self) }
}

/// Expands the macros of a source.
private func expansion(of source: String) -> (text: String, context: BasicMacroExpansionContext) {
    let file = Parser.parse(source: source)
    let context = BasicMacroExpansionContext(sourceFiles: [file: .init(moduleName: "Test", fullFilePath: "Test.swift")])
    let result = file.expand(
        macroSpecs: specs,
        contextGenerator: { BasicMacroExpansionContext(sharingWith: context, lexicalContext: lexicalContext(of: $0)) },
        indentationWidth: .spaces(4)
    )
    return (result.description, context)
}

/// Returns the source after the expansion of its macros.
///
/// - Parameters:
///   - source: the source.
///   - withPlaces: whether the result has the tables of the members' lines and of saved values, and the checks of types.
/// - Returns: the source after the expansion.
func expanded(_ source: String, withPlaces: Bool = false) -> String {
    let text = expansion(of: source).text.replacing(#/^\n/#, with: "")
    if withPlaces { return text }
    return text.replacing(#/\n\nextension \w+ \{\n +(\w+ )?var memberPlaces[^}]*\}\n\}/#, with: "")
        .replacing(#/\n\nextension \w+ \{\n +private static func checkMembers[^}]*\}\n\}/#, with: "")
        .replacing(#/\n\nextension \w+ \{\n +(\w+ )?static var (savedValues|formerNames)[\s\S]*?\n\}/#, with: "")
}

/// Expects that the expansion of a source has each of these lines.
func expectExpansion(
    of source: String,
    has lines: String...,
    sourceLocation: Testing.SourceLocation = #_sourceLocation
) {
    let made = expanded(source)
    for line in lines { #expect(made.contains(line), "\(made)", sourceLocation: sourceLocation) }
}

/// A diagnostic of a macro.
struct FoundDiagnostic {
    /// The line and the column.
    let place: String
    let message: String
    let severity: DiagnosticSeverity
    let notes: [String]
    /// The messages of the fix-its.
    let fixIts: [String]
    /// The source after the first fix-it, or nil without one.
    let fixed: String?

    var isWarning: Bool { severity == .warning }
    /// The message with its place.
    var complaint: String { "\(place): \(message)" }
}

/// Returns the diagnostics of a source's macros, each with its line and column.
func refusals(of source: String) -> [String] { diagnostics(of: source).map(\.complaint) }

/// Returns the diagnostics of a source's macros.
func diagnostics(of source: String) -> [FoundDiagnostic] { diagnostics(in: expansion(of: source).context) }

private func diagnostics(in context: BasicMacroExpansionContext) -> [FoundDiagnostic] {
    context.diagnostics.map { diagnostic in
        let place = context.location(for: diagnostic.position, anchoredAt: diagnostic.node, fileName: "Test.swift")
        return FoundDiagnostic(
            place: "\(place.line):\(place.column)",
            message: diagnostic.message,
            severity: diagnostic.diagMessage.severity,
            notes: diagnostic.notes.map(\.message),
            fixIts: diagnostic.fixIts.map(\.message.message),
            fixed: diagnostic.fixIts.first.flatMap { fix in
                guard case .replace(_, let new) = fix.changes.first else { return nil }
                return new.trimmedDescription
            }
        )
    }
}

/// Expects that a class `Calculator` with these lines inside gets a contract with these members.
func expectMembers(_ lines: String, _ members: String..., sourceLocation: Testing.SourceLocation = #_sourceLocation) {
    let appended = members.map { "    members.append(\($0))\n" }.joined()
    expectContract(
        "@ViewModel",
        "final class Calculator",
        lines,
        "name: \"calculator\",\ndescription: \"\",\nmembers: { members in\n\(appended)}",
        sourceLocation: sourceLocation
    )
}

/// Expects that a class with these lines inside gets this contract, apart from the places of its members.
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
    let made = expanded("\(attribute)\n\(body)").replacing(#/ *#sourceLocation\(.*\)\n/#, with: "")
    let expected = """
        \(comment)\(body.withoutPolicies)

        extension \(type): ViewModelKit.ViewModel {
            \(access)static let contract = ViewModelKit.ViewModelContract<\(type)>(
        \(contract.indented.indented)    )
        }
        """
    #expect(made == expected, sourceLocation: sourceLocation)
}

/// Expects that a declaration gets this schema.
func expectSchema(
    _ declaration: String,
    _ schema: String,
    of type: String = "Value",
    access: String = "",
    sourceLocation: Testing.SourceLocation = #_sourceLocation
) {
    let made = expanded("@Schemable\n\(declaration)")
    let expected = """
        \(access)static var schema: ViewModelKit.Schema {
            \(schema.split(separator: "\n").joined(separator: "\n    "))
        }
        """
    let lines = made.split(separator: "\n").map { $0.drop { $0 == " " } }
    let wanted = expected.split(separator: "\n").map { $0.drop { $0 == " " } }
    #expect(lines.contains(wanted), "\(made)", sourceLocation: sourceLocation)
    #expect(made.hasSuffix("extension \(type): Schemable, Codable, Equatable {}"), sourceLocation: sourceLocation)
}

/// Expects that the macros complain about each mistake, write nothing but a conformance for it and offer the fix.
func expect(_ mistake: Mistake, sourceLocation: Testing.SourceLocation = #_sourceLocation) {
    var (text, context) = expansion(of: mistake.source)
    text.replace(#/extension \w+: ViewModel \{\}/#, with: "")
    let left = mistake.source.replacing(#/@(ViewModel|Schemable)(\(.*\))?\n */#, with: "").withoutPolicies
    #expect(text.withoutOuterNewlines == left.withoutOuterNewlines, sourceLocation: sourceLocation)
    #expect(!Parser.parse(source: text).hasError, "\(text)", sourceLocation: sourceLocation)
    let found = diagnostics(in: context)
    #expect(found.map(\.complaint) == mistake.complaints.map(\.description), sourceLocation: sourceLocation)
    for diagnostic in found {
        #expect(diagnostic.severity == .error, sourceLocation: sourceLocation)
        #expect(diagnostic.notes.isEmpty, sourceLocation: sourceLocation)
        #expect(diagnostic.fixIts == mistake.fix.map { [$0] } ?? [], sourceLocation: sourceLocation)
    }
    guard let fixed = mistake.fixed else { return }
    let changes = context.diagnostics.flatMap(\.fixIts).flatMap(\.changes)
    let made = mistake.source.applying(changes, in: context)
    #expect(made.withoutTrailingSpaces == fixed.withoutTrailingSpaces, sourceLocation: sourceLocation)
}

extension String {
    fileprivate var indented: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "\n" : "    \($0)\n" }.joined()
            .replacing(/\n+$/, with: "\n")
    }

    fileprivate var withoutOuterNewlines: String { replacing(#/^\n+|\n+$/#, with: "") }

    fileprivate var withoutTrailingSpaces: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { $0.replacing(#/\s+$/#, with: "") }
            .joined(separator: "\n")
    }

    /// Returns the source after these changes.
    ///
    /// The macros replace nodes only.
    fileprivate func applying(_ changes: [FixIt.Change], in context: BasicMacroExpansionContext) -> String {
        var edits: [(range: Range<Int>, text: String)] = []
        for case .replace(let old, let new) in changes {
            let offsets = [old.position, old.endPosition].map {
                context.location(for: $0, anchoredAt: old, fileName: "Test.swift").offset
            }
            edits.append((offsets[0]..<offsets[1], new.description))
        }
        var bytes = Array(utf8)
        for edit in edits.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
            bytes.replaceSubrange(edit.range, with: edit.text.utf8)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    fileprivate var withoutPolicies: String {
        replacing(#/@Policy\(\.\w+\) /#, with: "")
    }
}

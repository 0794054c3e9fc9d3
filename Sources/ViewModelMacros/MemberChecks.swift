import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// A type in a declaration whose conformance the compiler checks with a sentence about the remedy.
struct CheckedType {
    /// The requirements, named as the functions of `MemberCheck` are.
    enum Requirement: String {
        case clientsSee, isSaved, declaresFailures
    }

    let requirement: Requirement
    /// The source text of the type.
    let type: String

    /// Returns the checks of a member in the order of its types.
    static func all(of member: GroupMember) -> [CheckedType] {
        let seen = member.checkedTypes.filter { !$0.isVoidType }.map { CheckedType(requirement: .clientsSee, type: $0) }
        let failures = member.declaresOwnFailures ? member.failures : nil
        return seen + (failures.map { [CheckedType(requirement: .declaresFailures, type: $0)] } ?? [])
    }

    /// Returns the extension with a function that the compiler checks, or nil if there is nothing to check.
    ///
    /// Each line has the place of its declaration.
    static func function(
        _ lines: [(place: TokenSyntax, types: [CheckedType])],
        of type: some TypeSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> ExtensionDeclSyntax? {
        let statements = lines.flatMap { line -> [String] in
            let place = context.location(of: line.place, at: .afterLeadingTrivia, filePathMode: .filePath)
            guard let place, !line.types.isEmpty else { return [] }
            let calls = line.types.map { "ViewModelKit.MemberCheck.\($0.requirement)((\($0.type)).self)" }
            return ["#sourceLocation(file: \(place.file), line: \(place.line))", calls.joined(separator: "; ")]
        }
        guard !statements.isEmpty else { return nil }
        return try ExtensionDeclSyntax(
            """
            extension \(type.trimmed) {
                private static func checkMembers() {
            \(raw: statements.joined(separator: "\n"))
            #sourceLocation()
                }
            }
            """
        )
    }
}

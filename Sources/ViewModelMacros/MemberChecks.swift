import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// A type in a declaration whose conformance the compiler checks with a sentence about the remedy.
struct CheckedType {
    /// The requirements, named as the functions of `MemberCheck` are.
    enum Requirement: String {
        case clientsSee, clientsFollow, isSaved, declaresFailures
    }

    let requirement: Requirement
    /// The source text of the type.
    let type: String

    static func seen(_ types: [String], _ requirement: Requirement = .clientsSee) -> [CheckedType] {
        types.filter { !$0.isVoidType }.map { CheckedType(requirement: requirement, type: $0) }
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
            guard !line.types.isEmpty, let place = context.lineDirective(line.place) else { return [] }
            let calls = line.types.map { "ViewModelKit.MemberCheck.\($0.requirement)((\($0.type)).self)" }
            return [place, calls.joined(separator: "; ")]
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

extension MacroExpansionContext {
    /// Returns the line that gives the next one the place of a token, so that the compiler reports mistakes there.
    func lineDirective(_ token: TokenSyntax) -> String? {
        location(of: token, at: .afterLeadingTrivia, filePathMode: .filePath).map {
            "#sourceLocation(file: \($0.file), line: \($0.line))"
        }
    }
}

import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// A type in a declaration whose conformance the compiler checks with a sentence about the remedy.
struct CheckedType {
    /// The requirements, named as the functions of `MemberCheck` are.
    enum Requirement: String {
        case clientsSee, clientsFollow, isSaved, declaresFailures, isOwn
    }

    let requirement: Requirement
    /// The source text of the type.
    let type: String
    /// The property of the type whose value is checked; nil for the type itself.
    var property: String?

    /// The source text of the call.
    private var call: String {
        let check = "ViewModelKit.MemberCheck.\(requirement)"
        return property.map { "_ = { (owner: \(type)) in \(check)(owner.\($0)) }" } ?? "\(check)((\(type)).self)"
    }

    /// Returns the checks of the objects that a class makes for itself, each with its property.
    static func own(by declaration: ClassDeclSyntax) -> [(place: TokenSyntax, types: [CheckedType])] {
        declaration.memberBlock.members.compactMap { item in
            guard let variable = item.decl.as(VariableDeclSyntax.self), variable.attributes.isEmpty,
                variable.modifiers.staticModifier == nil, variable.bindings.count == 1,
                let binding = variable.bindings.first, binding.initializer?.value.madeType != nil,
                let name = binding.identifier
            else { return nil }
            return (name, [CheckedType(requirement: .isOwn, type: "Self", property: name.text)])
        }
    }

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
            return [place, line.types.map(\.call).joined(separator: "; ")]
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

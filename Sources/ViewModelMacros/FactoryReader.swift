import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// A parser for the initialiser of a class that a catalog creates.
struct FactoryReader {
    /// The source texts of the dependencies, which the catalog supplies.
    private var dependencies: [String] = []
    /// The source texts of the initialiser's arguments.
    private var values: [String] = []
    private var mayThrow = false

    /// Reads the only initialiser of a class.
    ///
    /// Returns nil if there are several, or if a parameter has no plain type.
    init?(_ declaration: ClassDeclSyntax) {
        let members = declaration.memberBlock.members.map(\.decl)
        let conditional = members.contains { member in
            member.is(IfConfigDeclSyntax.self)
                && member.tokens(viewMode: .sourceAccurate).contains { $0.text == "init" }
        }
        guard !conditional, declaration.genericParameterClause == nil else { return nil }
        let initialisers = members.compactMap { $0.as(InitializerDeclSyntax.self) }.filter { initialiser in
            !initialiser.modifiers.contains { $0.name.text == "convenience" }
        }
        guard initialisers.count < 2 else { return nil }
        guard let initialiser = initialisers.first else { return }
        let effects = initialiser.signature.effectSpecifiers
        guard initialiser.optionalMark == nil, initialiser.genericParameterClause == nil,
            effects?.asyncSpecifier == nil,
            !initialiser.modifiers.contains(where: { ["private", "fileprivate"].contains($0.name.text) })
        else { return nil }
        let supplied = initialiser.signature.parameterClause.parameters.filter { $0.defaultValue == nil }
        guard supplied.allSatisfy(\.isInjectable) else { return nil }
        let arguments = ["Arguments", "Self.Arguments", "\(declaration.name.text).Arguments"]
        for parameter in supplied {
            let type = parameter.type.trimmedDescription
            let label = parameter.firstName.text.withoutBackticks
            let isSimple = parameter.type.is(IdentifierTypeSyntax.self) || parameter.type.is(MemberTypeSyntax.self)
            let metatype = isSimple ? "\(type).self" : "(\(type)).self"
            let isArguments = arguments.contains(type)
            let value = "context.\(isArguments ? "arguments" : "resolve")(\(metatype))"
            values.append(parameter.firstName.tokenKind == .wildcard ? value : "\(label): \(value)")
            if isArguments { continue }
            // The name of a protocol's type lacks its `any` at run time.
            let name = type.hasPrefix("any ") ? ", named: \(type.asLiteral)" : ""
            dependencies.append(".init(\(metatype)\(name))")
        }
        mayThrow = effects?.throwsClause != nil || !values.isEmpty
    }

    /// Returns the extension that conforms a class to ``Injectable``; the conformance begins with its colon.
    func conformance(of type: some TypeSyntaxProtocol, _ conformance: String, access: String) throws
        -> ExtensionDeclSyntax
    {
        try ExtensionDeclSyntax(
            """
            extension \(type.trimmed)\(raw: conformance) {
                \(raw: access)static var dependencies: [ViewModelKit.Dependency] {
                    [\(raw: dependencies.joined(separator: ", "))]
                }

                \(raw: access)static func make(in context: ViewModelKit.ViewModelContext) throws -> \(type.trimmed) {
                    \(raw: mayThrow ? "try " : "")\(type.trimmed)(\(raw: values.joined(separator: ", ")))
                }
            }
            """
        )
    }
}

extension FunctionParameterSyntax {
    /// Whether a catalog can supply the parameter: its type has a metatype that can be written.
    fileprivate var isInjectable: Bool {
        ellipsis == nil && type.refusal != .specialType
            && !type.tokens(viewMode: .sourceAccurate).contains { $0.text == "some" }
    }
}

/// The macro `@SharedModel`, which writes the factory of a model from its initialiser.
enum SharedModelMacro: ExtensionMacro {
    /// The expansion has its own layout.
    static var formatMode: FormatMode { .disabled }

    static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard let declaration = declaration.as(ClassDeclSyntax.self),
            declaration.modifiers.contains(where: { $0.name.text == "final" })
        else {
            context.diagnose(.misplaced("SharedModel", at: declaration.introducer))
            return []
        }
        guard let factory = FactoryReader(declaration) else {
            context.diagnose(Diagnostic(declaration.name, .modelWithoutFactory))
            return []
        }
        let conformance = protocols.isEmpty ? "" : ": ViewModelKit.SharedModel"
        let access = declaration.modifiers.memberAccess
        let states = PlacedMember.states(of: declaration)
        return [
            try factory.conformance(of: type, conformance, access: access),
            try PlacedMember.table(states, of: type, access: access, in: context),
            try CheckedType.function(states.map { ($0.identifier, $0.checkedTypes) }, of: type, in: context),
        ].compactMap(\.self)
    }
}

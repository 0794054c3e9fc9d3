import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// A parser for the initialiser of a class that a catalog creates.
struct FactoryReader {
    /// A parameter that the catalog supplies.
    private struct Parameter {
        let label: String
        /// The source text of the metatype.
        let type: String
        /// Whether the value is read from the arguments of `viewModel.open`.
        let isArguments: Bool

        var dependency: String {
            // The name of a protocol's type lacks its `any` at run time.
            let name = type.hasPrefix("(any ") ? ", named: \(String(type.dropFirst().dropLast(6)).asLiteral)" : ""
            return ".init(\(type)\(name))"
        }
    }

    private let parameters: [Parameter]
    private let initialiserThrows: Bool

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
        guard let initialiser = initialisers.first else {
            parameters = []
            initialiserThrows = false
            return
        }
        let effects = initialiser.signature.effectSpecifiers
        guard initialiser.optionalMark == nil, initialiser.genericParameterClause == nil,
            effects?.asyncSpecifier == nil,
            !initialiser.modifiers.contains(where: { ["private", "fileprivate"].contains($0.name.text) })
        else { return nil }
        let supplied = initialiser.signature.parameterClause.parameters.filter { $0.defaultValue == nil }
        guard supplied.allSatisfy(\.isInjectable) else { return nil }
        let arguments = ["Arguments", "Self.Arguments", "\(declaration.name.text).Arguments"]
        parameters = supplied.map { parameter in
            let type = parameter.type.trimmedDescription
            let label = parameter.firstName.text.withoutBackticks
            let isSimple = parameter.type.is(IdentifierTypeSyntax.self) || parameter.type.is(MemberTypeSyntax.self)
            return Parameter(
                label: parameter.firstName.tokenKind == .wildcard ? "" : "\(label): ",
                type: isSimple ? "\(type).self" : "(\(type)).self",
                isArguments: arguments.contains(type)
            )
        }
        initialiserThrows = effects?.throwsClause != nil
    }

    /// Returns the extension that conforms a class to ``Injectable``; the conformance begins with its colon.
    func conformance(of type: some TypeSyntaxProtocol, _ conformance: String, access: String) throws
        -> ExtensionDeclSyntax
    {
        let dependencies = parameters.filter { !$0.isArguments }.map(\.dependency)
        let values = parameters.map { parameter in
            "\(parameter.label)context.\(parameter.isArguments ? "arguments" : "resolve")(\(parameter.type))"
        }
        let mayThrow = initialiserThrows || !values.isEmpty
        return try ExtensionDeclSyntax(
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
        let isPlain =
            !type.is(AttributedTypeSyntax.self) && !type.is(FunctionTypeSyntax.self)
            && !type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
        return ellipsis == nil && isPlain && !type.tokens(viewMode: .sourceAccurate).contains { $0.text == "some" }
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

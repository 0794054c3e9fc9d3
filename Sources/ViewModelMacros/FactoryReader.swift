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
    /// The initialiser of a class without one, which sets the properties that the catalog supplies.
    private(set) var initialiser: DeclSyntax?

    /// Reads the only initialiser of a class, or writes one for its constants without a value.
    ///
    /// Returns nil if there are several, or if a parameter has no plain type.
    init?(_ declaration: ClassDeclSyntax) {
        let members = declaration.memberBlock.members.map(\.decl)
        let conditional = members.contains { member in
            member.is(IfConfigDeclSyntax.self)
                && member.tokens(viewMode: .sourceAccurate).contains { $0.text == "init" }
        }
        guard !conditional, declaration.genericParameterClause == nil else { return nil }
        let initialisers = members.compactMap { $0.as(InitializerDeclSyntax.self) }.filter { !$0.isConvenience }
        guard initialisers.count < 2 else { return nil }
        guard let initialiser = initialisers.first else {
            let properties = members.flatMap { $0.as(VariableDeclSyntax.self)?.constantsWithoutValue ?? [] }
            guard properties.allSatisfy(\.type.isInjectable) else { return nil }
            // Only the author knows how a group is made.
            let groups = MemberGroup.allCases.map(\.propertyName)
            guard !properties.isEmpty, !properties.contains(where: { groups.contains($0.name.text) }) else { return }
            for (name, type, isChild) in properties {
                supply(type, for: "\(name.text.withoutBackticks): ", isChild: isChild, in: declaration)
            }
            mayThrow = true
            let list = properties.map { "\($0.name.text): \($0.type.trimmed)" }.joined(separator: ", ")
            let lines = properties.map { "    self.\($0.name.text) = \($0.name.text)\n" }.joined()
            self.initialiser = "init(\(raw: list)) {\n\(raw: lines)}"
            return
        }
        let effects = initialiser.signature.effectSpecifiers
        guard initialiser.optionalMark == nil, initialiser.genericParameterClause == nil,
            effects?.asyncSpecifier == nil,
            !initialiser.modifiers.contains(where: { ["private", "fileprivate"].contains($0.name.text) })
        else { return nil }
        let supplied = initialiser.signature.parameterClause.parameters.filter { $0.defaultValue == nil }
        guard supplied.allSatisfy(\.isInjectable) else { return nil }
        for parameter in supplied {
            let isUnnamed = parameter.firstName.tokenKind == .wildcard
            let label = isUnnamed ? "" : "\(parameter.firstName.text.withoutBackticks): "
            supply(parameter.type, for: label, in: declaration)
        }
        mayThrow = effects?.throwsClause != nil || !values.isEmpty
    }

    /// Returns the reasons for which a session cannot make and run a class.
    ///
    /// A factory of the author can call an `init?` of a ViewModel.
    static func mistakes(in declaration: ClassDeclSyntax, isModel: Bool = false) -> [Diagnostic] {
        let members = declaration.memberBlock.members.map(\.decl)
        let initialisers = members.compactMap { $0.as(InitializerDeclSyntax.self) }
        var mistakes = ["MainActor", "Observable"].compactMap { name in
            declaration.attributes.attribute(name).map { Diagnostic($0, .foreignAttribute, name) }
        }
        guard !members.contains(where: { $0.is(IfConfigDeclSyntax.self) }) else { return mistakes }
        let designated = initialisers.filter { !$0.isConvenience }
        if designated.count == 1, let initialiser = designated.first {
            if let word = initialiser.signature.effectSpecifiers?.asyncSpecifier {
                mistakes.append(Diagnostic(word, .suspendingInit, severity: isModel ? .error : .warning))
            } else if isModel, let mark = initialiser.optionalMark {
                mistakes.append(Diagnostic(mark, .failableInit))
            }
        }
        guard initialisers.isEmpty else { return mistakes }
        return mistakes
            + members.compactMap { member in
                guard let variable = member.as(VariableDeclSyntax.self), let name = variable.variableWithoutValue else {
                    return nil
                }
                let constant = variable.attributes.isEmpty ? ", or `let \(name.text)` for what the class gets" : ""
                return Diagnostic(name, .missingValue, name.text, constant)
            }
    }

    /// Adds an argument of the initialiser, which has a label or an empty string and may be a child.
    private mutating func supply(
        _ written: TypeSyntax,
        for label: String,
        isChild: Bool = true,
        in declaration: ClassDeclSyntax
    ) {
        let type = written.trimmedDescription
        let isSimple = written.is(IdentifierTypeSyntax.self) || written.is(MemberTypeSyntax.self)
        let metatype = isSimple ? "\(type).self" : "(\(type)).self"
        let isArguments = ["Arguments", "Self.Arguments", "\(declaration.name.text).Arguments"].contains(type)
        values.append("\(label)context.\(isArguments ? "arguments" : "resolve")(\(metatype))")
        if isArguments { return }
        // The name of a protocol's type lacks its `any` at run time.
        let name = type.hasPrefix("any ") ? ", named: \(type.asLiteral)" : ""
        dependencies.append(".init(\(metatype)\(name))\(isChild ? "" : ".notChild")")
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

extension InitializerDeclSyntax {
    fileprivate var isConvenience: Bool { modifiers.contains { $0.name.text == "convenience" } }
}

extension FunctionParameterSyntax {
    /// Whether a catalog can supply the parameter.
    fileprivate var isInjectable: Bool { ellipsis == nil && type.isInjectable }
}

extension TypeSyntax {
    /// Whether the type has a metatype that can be written.
    fileprivate var isInjectable: Bool {
        refusal != .specialType && !tokens(viewMode: .sourceAccurate).contains { $0.text == "some" }
    }
}

extension VariableDeclSyntax {
    /// The name of a stored variable that an initialiser has to set.
    fileprivate var variableWithoutValue: TokenSyntax? {
        let isOther = attributes.contains { element in
            guard case .attribute(let attribute) = element else { return true }
            return !["State", "Field", "Output", "Bounds"].contains(attribute.plainName)
        }
        guard bindingSpecifier.tokenKind == .keyword(.var), modifiers.staticModifier == nil, modifiers.storage == nil,
            !isOther, bindings.count == 1, let binding = bindings.first, binding.initializer == nil,
            binding.accessorBlock == nil, let type = binding.typeAnnotation?.type, type.rowType == nil,
            !type.isOptional, !type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
        else { return nil }
        return binding.identifier
    }

    /// The stored constants of an instance that an initialiser has to set.
    fileprivate var constantsWithoutValue: [(name: TokenSyntax, type: TypeSyntax, isChild: Bool)] {
        guard bindingSpecifier.tokenKind == .keyword(.let), modifiers.staticModifier == nil else { return [] }
        return bindings.compactMap { binding in
            guard binding.initializer == nil, let name = binding.identifier, let type = binding.type(in: bindings)
            else {
                return nil
            }
            return (name, type, attributes.has("Child"))
        }
    }
}

/// The macro `@SharedModel`, which writes the factory of a model from its initialiser, and a missing initialiser.
enum SharedModelMacro: ExtensionMacro, MemberMacro, FormattedMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let factory = declaration.as(ClassDeclSyntax.self).flatMap(FactoryReader.init)
        return [factory?.initialiser].compactMap(\.self)
    }

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
        let mistakes = FactoryReader.mistakes(in: declaration, isModel: true)
        mistakes.forEach(context.diagnose)
        guard mistakes.isEmpty else { return [] }
        guard let factory = FactoryReader(declaration) else {
            context.diagnose(Diagnostic(declaration.name, .modelWithoutFactory))
            return []
        }
        let diagnostics =
            BodyReader(declaration, isModel: true).diagnostics + ComputedOutputs(declaration).untrackedOfModel
        diagnostics.forEach(context.diagnose)
        let conformance = protocols.isEmpty ? "" : ": ViewModelKit.SharedModel"
        let access = declaration.modifiers.memberAccess
        let states = PlacedMember.states(of: declaration)
        return [
            try factory.conformance(of: type, conformance, access: access),
            try SavedProperty.table(declaration, node, of: type, access: access),
            try PlacedMember.table(states, of: type, access: access, in: context),
            try CheckedType.function(
                states.map { ($0.identifier, $0.checkedTypes) } + CheckedType.own(by: declaration),
                of: type,
                in: context
            ),
        ].compactMap(\.self)
    }
}

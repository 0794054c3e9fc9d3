import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The macro `@ViewModel`.
///
/// It generates the contract of a class from its members and their doc comments, and the groups of the members with
/// attributes.
enum ViewModelMacro: ExtensionMacro, MemberMacro, FormattedMacro {
    static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        let reader = ViewModelReader(node, declaration)
        reader.diagnostics.forEach(context.diagnose)
        guard reader.isValid else {
            // Without the conformances Swift 6.3.1 crashes at a subclass, before it prints the mistakes.
            let isOpen = declaration.as(ClassDeclSyntax.self)?.isFinal == false && !protocols.isEmpty
            let all = protocols.map(\.trimmedDescription).joined(separator: ", ")
            return isOpen ? [try ExtensionDeclSyntax("extension \(type.trimmed): \(raw: all) {}")] : []
        }
        // `protocols` lacks a protocol if the author has written the conformance.
        let missing = Set(protocols.compactMap(\.name))
        let conformance = missing.contains("ViewModel") ? ": ViewModelKit.ViewModel" : ""
        let arguments = reader.hasArguments ? ["arguments: .of(Arguments.self),"] : []
        let lines =
            ["name: \(reader.name.asLiteral),", "description: \(reader.description.asLiteral),"] + arguments
            + members(reader.members, in: context)
        let contract = try ExtensionDeclSyntax(
            """
            extension \(type.trimmed)\(raw: conformance) {
                \(raw: reader.access)static let contract = ViewModelKit.ViewModelContract<\(type.trimmed)>(
                    \(raw: lines.joined(separator: "\n        "))
                )
            }
            """
        )
        let isMade = missing.contains("Injectable")
        let factory = isMade ? declaration.as(ClassDeclSyntax.self).flatMap(FactoryReader.init) : nil
        let places = PlacedMember.all(reader.members) + reader.states
        let checks =
            (reader.members.map { ($0.identifier, $0.checkedTypes) })
            + reader.states.map { ($0.identifier, $0.checkedTypes) }
            + (declaration.as(ClassDeclSyntax.self).map(CheckedType.own) ?? [])
        let saving = try declaration.as(ClassDeclSyntax.self).flatMap {
            try SavedProperty.table($0, node, of: type, access: reader.access)
        }
        return [
            contract, saving,
            try factory?.conformance(of: type, ": ViewModelKit.Injectable", access: reader.access),
            try PlacedMember.table(places, of: type, access: reader.access, in: context),
            try CheckedType.function(checks, of: type, in: context),
        ].compactMap(\.self)
    }

    /// Returns the lines that declare the members.
    ///
    /// Each member has its own statement and its own place in the source, so that the compiler reports a value that is
    /// not `Schemable` where the member is declared.
    private static func members(_ members: [Member], in context: some MacroExpansionContext) -> [String] {
        guard !members.isEmpty else { return ["members: { _ in }"] }
        let statements = members.flatMap { member in
            [context.lineDirective(member.identifier), "    members.append(\(member.entry))"].compactMap(\.self)
        }
        return ["members: { members in"] + statements + ["#sourceLocation()", "}"]
    }

    static func expansion(
        of node: AttributeSyntax,
        providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        // The other role reports the diagnostics.
        let reader = ViewModelReader(node, declaration)
        let made = reader.members.filter { $0.parts != nil }
        guard reader.isValid else { return [] }
        let factory = declaration.as(ClassDeclSyntax.self).flatMap(FactoryReader.init)
        let initialiser = [factory?.initialiser].compactMap(\.self)
        guard !made.isEmpty else { return initialiser }
        let wiring: DeclSyntax = "private let memberWiring = ViewModelKit.MemberWiring()"
        return initialiser + [wiring] + computed(reader.outputs.shared, in: context)
            + MemberGroup.allCases.flatMap { group in
                declarations(of: group, made.filter { $0.group == group }, access: reader.access, in: context)
            }
    }

    /// Returns the struct of the signals that other members read, its property and the function that creates them.
    ///
    /// They are made before the outputs, because the first value of an output may read those of others.
    private static func computed(
        _ outputs: [ComputedOutputs.Shared],
        in context: some MacroExpansionContext
    ) -> [DeclSyntax] {
        guard !outputs.isEmpty else { return [] }
        let signals = outputs.flatMap { output in
            [
                context.lineDirective(output.identifier),
                "    let \(output.identifier.text): ViewModelKit.Signal<\(output.type)>",
            ]
            .compactMap(\.self)
        }
        let values = outputs.map { "        \($0.identifier.text.withoutBackticks): \($0.signal)" }
        return structure("ComputedOutputs", "private ", "computedOutputs", "private ", signals, values)
    }

    /// Returns the struct of a group, its property and the function that creates its members.
    ///
    /// The property is lazy, because the members' closures use the instance. The host reads it once `init` has returned.
    /// The wiring makes the members belong to the session in which the ViewModel was created.
    private static func declarations(
        of group: MemberGroup,
        _ members: [Member],
        access: String,
        in context: some MacroExpansionContext
    ) -> [DeclSyntax] {
        guard !members.isEmpty else { return [] }
        let isOwn = group == .ownActions
        let access = isOwn ? "private " : access
        var (declarations, values): ([String], [String]) = ([], [])
        for case (let member, let parts?) in members.map({ ($0, $0.parts) }) {
            // The compiler reports a value that is not `Schemable` or `Equatable` where the member is declared.
            declarations += [context.lineDirective(member.identifier)].compactMap(\.self)
            declarations.append("    \(parts.access)let \(member.identifier.text): \(member.typeText())")
            values.append("        \(member.name): \(parts.value)")
        }
        let structures = members.compactMap { $0.parts?.parameters?.indented }
        let setter = isOwn ? access : "\(access)private(set) "
        return structure(group.typeName, access, group.propertyName, setter, structures + declarations, values)
    }

    /// Returns a struct, the lazy property that holds it, and the function that makes it from the values of its members.
    private static func structure(
        _ type: String,
        _ access: String,
        _ property: String,
        _ propertyAccess: String,
        _ declarations: [String],
        _ values: [String]
    ) -> [DeclSyntax] {
        [
            """
            \(raw: access)struct \(raw: type) {
            \(raw: (declarations + ["#sourceLocation()"]).joined(separator: "\n"))
            }
            """,
            "\(raw: propertyAccess)lazy var \(raw: property) = memberWiring { self.make\(raw: type)() }",
            """
            private func make\(raw: type)() -> \(raw: type) {
                \(raw: type)(
            \(raw: values.joined(separator: ",\n"))
                )
            }
            """,
        ]
    }
}

/// A macro whose expansion has its own layout.
protocol FormattedMacro: Macro {}

extension FormattedMacro {
    static var formatMode: FormatMode { .disabled }
}

extension String {
    /// The text with each line indented by four spaces.
    fileprivate var indented: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { "    \($0)" }.joined(separator: "\n")
    }
}

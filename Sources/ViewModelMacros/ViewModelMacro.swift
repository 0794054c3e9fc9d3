import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The macro `@ViewModel`.
///
/// It generates the contract of a class from its groups and their doc comments. For a class in the short form it also
/// generates the groups, from the members with attributes.
enum ViewModelMacro: ExtensionMacro, MemberMacro {
    /// Disabled, because the expansion below is formatted already.
    static var formatMode: FormatMode { .disabled }

    /// Returns the extensions of the type.
    static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        let reader = ViewModelReader(node, declaration)
        reader.warnings.forEach(context.diagnose)
        guard reader.diagnostics.isEmpty else {
            reader.diagnostics.forEach(context.diagnose)
            return []
        }
        // `protocols` lacks a protocol if the author has written the conformance.
        let missing = Set(protocols.compactMap(\.name))
        let conformance = missing.contains("ViewModel") ? ": ViewModelKit.ViewModel" : ""
        let arguments = reader.hasArguments ? ["arguments: Arguments.self,"] : []
        let lines =
            ["name: \(reader.name.asLiteral),", "description: \(reader.description.asLiteral),"] + arguments
            + members(reader.members, in: context)
        var factory: [ExtensionDeclSyntax] = []
        if missing.contains("Injectable"), let reader = declaration.as(ClassDeclSyntax.self).flatMap(FactoryReader.init)
        {
            factory = [
                try reader.conformance(
                    of: type,
                    ": ViewModelKit.Injectable",
                    access: declaration.modifiers.memberAccess
                )
            ]
        }
        return try [
            ExtensionDeclSyntax(
                """
                extension \(type.trimmed)\(raw: conformance) {
                    \(raw: reader.access)static let contract = ViewModelKit.ViewModelContract<\(type.trimmed)>(
                        \(raw: lines.joined(separator: "\n        "))
                    )
                }
                """
            )
        ] + factory
            + tables(of: reader, type, in: context)
    }

    /// Returns the extensions with the lines of the members and the checks of their types.
    private static func tables(
        of reader: ViewModelReader,
        _ type: some TypeSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        let places = try PlacedMember.table(PlacedMember.all(of: reader), of: type, access: reader.access, in: context)
        let lines =
            reader.members.map { ($0.identifier, CheckedType.all(of: $0)) }
            + reader.states.map { ($0.identifier, $0.checkedTypes) }
        let checks = try CheckedType.function(lines, of: type, in: context)
        return [places, checks].compactMap(\.self)
    }

    /// Returns the lines that declare the members.
    ///
    /// Each member has its own statement and its own place in the source, so that the compiler reports a value that is
    /// not `Schemable` where the member is declared.
    private static func members(_ members: [GroupMember], in context: some MacroExpansionContext) -> [String] {
        guard !members.isEmpty else { return ["members: { _ in }"] }
        let statements = members.flatMap { place(of: $0, in: context) + ["    members.append(\($0.entry))"] }
        return ["members: { members in"] + statements + ["#sourceLocation()", "}"]
    }

    /// Returns the line that gives the next one the place of a member.
    private static func place(of member: GroupMember, in context: some MacroExpansionContext) -> [String] {
        let place = context.location(of: member.identifier, at: .afterLeadingTrivia, filePathMode: .filePath)
        return place.map { ["#sourceLocation(file: \($0.file), line: \($0.line))"] } ?? []
    }

    /// Returns the members that the type gets.
    static func expansion(
        of node: AttributeSyntax,
        providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let reader = ViewModelReader(node, declaration)
        // The other role reports the diagnostics.
        guard reader.diagnostics.isEmpty else { return [] }
        guard !reader.shortMembers.isEmpty else { return [] }
        let wiring: DeclSyntax = "private let memberWiring = ViewModelKit.MemberWiring()"
        return [wiring]
            + MemberGroup.allCases.flatMap { group in
                declarations(
                    of: group,
                    reader.shortMembers.filter { $0.member.group == group },
                    access: reader.access,
                    in: context
                )
            }
    }

    /// Returns the struct of a group, its property and the function that creates its members.
    ///
    /// The property is lazy, because the members' closures use the instance. The host reads it once `init` has returned.
    /// The wiring makes the members belong to the session in which the ViewModel was created.
    private static func declarations(
        of group: MemberGroup,
        _ members: [ShortMember],
        access: String,
        in context: some MacroExpansionContext
    ) -> [DeclSyntax] {
        guard !members.isEmpty else { return [] }
        let (type, property) = (group.typeName, group.propertyName)
        let parameters = members.compactMap(\.parameters).map { $0.indented }
        let module = group == .children ? "" : "ViewModelKit."
        // The compiler reports a value that is not `Schemable` or `Equatable` where the member is declared.
        let declarations =
            members.flatMap { member in
                place(of: member.member, in: context)
                    + ["    \(member.access)let \(member.member.identifier.text): \(module)\(member.type)"]
            } + ["#sourceLocation()"]
        let values = members.map { "        \($0.member.name): \($0.value)" }
        return [
            """
            \(raw: access)struct \(raw: type) {
            \(raw: (parameters + declarations).joined(separator: "\n"))
            }
            """,
            "\(raw: access)private(set) lazy var \(raw: property) = memberWiring { self.make\(raw: type)() }",
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

extension String {
    /// The text with each line indented by four spaces.
    fileprivate var indented: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { "    \($0)" }.joined(separator: "\n")
    }
}

/// The macros `@Policy(.latest)`, of an action in the explicit form, and `@Throws(LookFailure.self)`, of an action in any
/// form.
///
/// `@ViewModel` reads the argument; this macro only checks the position.
enum PolicyMacro: PeerMacro {
    /// Returns the declarations beside the member.
    static func expansion(
        of node: AttributeSyntax,
        providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        // In the short form, `@Throws` belongs to a function with `@Action`.
        if let function = declaration.as(FunctionDeclSyntax.self), node.plainName == "Throws",
            DeclSyntax(function).shortAttribute?.kind == .action
        {
            return []
        }
        let parent = context.lexicalContext.first?.as(StructDeclSyntax.self)
        if parent?.name.text != MemberGroup.actions.typeName || !declaration.is(VariableDeclSyntax.self) {
            context.diagnose(Diagnostic(node: node, message: ViewModelDiagnostic.attributeOfNoAction(node.plainName)))
        }
        return []
    }
}

/// The macro `@Volatile` for an output.
///
/// `@ViewModel` reads the attribute; this macro only checks the position.
enum VolatileMacro: PeerMacro {
    /// Returns the declarations beside the member.
    static func expansion(
        of node: AttributeSyntax,
        providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let group = context.lexicalContext.first?.as(StructDeclSyntax.self)?.name.text
        let kind = DeclSyntax(declaration).shortAttribute?.kind
        let isInGroup = declaration.is(VariableDeclSyntax.self) && group == MemberGroup.outputs.typeName
        if !isInGroup, kind != .output, kind != .rows, kind != .event {
            context.diagnose(Diagnostic(node: node, message: ViewModelDiagnostic.volatileOfNoOutput))
        }
        return []
    }
}

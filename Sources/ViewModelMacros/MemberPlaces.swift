import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// A member of a class with the objects behind it, for the table of lines that the log reads after a mistake.
struct PlacedMember {
    /// The name as written.
    let identifier: TokenSyntax
    /// The source texts of the objects.
    var objects: [String]
    /// The type of a value that is saved.
    var checkedTypes: [CheckedType] = []

    /// Returns the members of a ViewModel, and its properties with `@State`.
    static func all(of reader: ViewModelReader) -> [PlacedMember] {
        var all: [PlacedMember] = []
        let cells = Dictionary(
            reader.shortMembers.compactMap { short in short.object.map { (short.member.name, $0) } },
            uniquingKeysWith: { first, _ in first }
        )
        for member in reader.members where member.group != .children {
            let isCell = member.group == .outputs && cells[member.name] != nil
            let object = isCell ? cells[member.name] : "\(member.group.propertyName).\(member.identifier.text)"
            if let index = all.firstIndex(where: { $0.identifier.text == member.identifier.text }) {
                all[index].objects += object.map { [$0] } ?? []
            } else {
                all.append(PlacedMember(identifier: member.identifier, objects: object.map { [$0] } ?? []))
            }
        }
        return all + reader.states
    }

    /// Returns the properties of a class with `@State`.
    static func states(of declaration: ClassDeclSyntax) -> [PlacedMember] {
        declaration.memberBlock.members.compactMap { item in
            guard let variable = item.decl.as(VariableDeclSyntax.self), variable.bindings.count == 1,
                variable.bindingSpecifier.tokenKind == .keyword(.var), variable.attributes.has("State"),
                let binding = variable.bindings.first, binding.accessorBlock == nil,
                let identifier = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier
            else { return nil }
            let type = binding.typeAnnotation?.type
            let isSaved = variable.attributes.hasArgument("State")
            return PlacedMember(
                identifier: identifier,
                objects: ["$\(identifier.text.withoutBackticks)"],
                checkedTypes: isSaved
                    ? type.map { [CheckedType(requirement: .isSaved, type: $0.rowType ?? $0.trimmedDescription)] } ?? []
                    : []
            )
        }
    }

    /// Returns the extension with the table, or nil if there are no members.
    static func table(
        _ members: [PlacedMember],
        of type: some TypeSyntaxProtocol,
        access: String,
        in context: some MacroExpansionContext
    ) throws -> ExtensionDeclSyntax? {
        let entries = members.compactMap { member -> String? in
            let place = context.location(of: member.identifier, at: .afterLeadingTrivia, filePathMode: .fileID)
            guard let place else { return nil }
            let values = [member.identifier.text.withoutBackticks.asLiteral, "\(place.file)", "\(place.line)"]
            return "            .init(\((values + member.objects).joined(separator: ", "))),"
        }
        guard !entries.isEmpty else { return nil }
        return try ExtensionDeclSyntax(
            """
            extension \(type.trimmed) {
                \(raw: access)var memberPlaces: [ViewModelKit.MemberPlace] {
                    [
            \(raw: entries.joined(separator: "\n"))
                    ]
                }
            }
            """
        )
    }
}

extension AttributeListSyntax {
    /// Returns whether an attribute has this name.
    fileprivate func has(_ name: String) -> Bool {
        contains { $0.as(AttributeSyntax.self)?.attributeName.name == name }
    }

    /// Returns whether an attribute of this name has an argument.
    fileprivate func hasArgument(_ name: String) -> Bool {
        contains { item in
            guard let attribute = item.as(AttributeSyntax.self), attribute.attributeName.name == name,
                case .argumentList(let arguments) = attribute.arguments
            else { return false }
            return arguments.contains { !$0.expression.is(NilLiteralExprSyntax.self) }
        }
    }
}

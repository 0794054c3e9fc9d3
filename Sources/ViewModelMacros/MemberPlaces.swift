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

    /// Returns the members of a ViewModel.
    ///
    /// An input and an output of one name are one member with two objects.
    static func all(_ members: [Member]) -> [PlacedMember] {
        var all: [PlacedMember] = []
        for member in members where member.group != .children {
            if let index = all.firstIndex(where: { $0.identifier.text == member.identifier.text }) {
                all[index].objects.append(member.object)
            } else {
                all.append(PlacedMember(identifier: member.identifier, objects: [member.object]))
            }
        }
        return all
    }

    /// Returns the properties of a class with `@State`.
    static func states(of declaration: ClassDeclSyntax) -> [PlacedMember] {
        declaration.memberBlock.members.compactMap { item in
            guard let variable = item.decl.as(VariableDeclSyntax.self),
                variable.bindingSpecifier.tokenKind == .keyword(.var),
                let attribute = variable.attributes.attribute("State"),
                let property = StoredProperty(variable, attribute)
            else { return nil }
            let saved = attribute.argument() == nil ? nil : property.type
            return PlacedMember(
                identifier: property.identifier,
                objects: ["$\(property.name)"],
                checkedTypes: saved.map { [CheckedType(requirement: .isSaved, type: $0.rowType ?? $0.description)] }
                    ?? []
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
            let location = context.location(of: member.identifier, at: .afterLeadingTrivia, filePathMode: .fileID)
            guard let location else { return nil }
            let values = [member.identifier.text.withoutBackticks.asLiteral, "\(location.file)", "\(location.line)"]
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

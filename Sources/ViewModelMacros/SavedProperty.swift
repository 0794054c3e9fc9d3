import SwiftSyntax
import SwiftSyntaxBuilder

/// The properties of a class that are saved.
enum SavedProperty {
    /// Returns the source text of a property's entry in the table; nil for a declaration that is not saved.
    private static func entry(_ declaration: DeclSyntax, of type: String) -> String? {
        guard let variable = declaration.as(VariableDeclSyntax.self),
            let attribute = ["State", "Field", "Output"].lazy.compactMap({ variable.attributes.attribute($0) }).first,
            let property = StoredProperty(variable, attribute), let (persistence, formerly) = property.saving
        else { return nil }
        let cell = "{ (owner: \(type)) in owner.$\(property.name) }"
        return ".init(\(property.name.asLiteral), in: \(persistence)\(formerly)) \(cell)"
    }

    /// Returns the extension with the saved values of a class and its former names, or nil without them.
    static func table(
        _ declaration: ClassDeclSyntax,
        _ attribute: AttributeSyntax,
        of type: some TypeSyntaxProtocol,
        access: String
    ) throws -> ExtensionDeclSyntax? {
        let type = type.trimmedDescription
        let entries = declaration.memberBlock.members.compactMap { entry($0.decl, of: type) }
        let names = attribute.formerNames.joined(separator: ", ")
        guard !entries.isEmpty || !names.isEmpty else { return nil }
        let values = """
                \(access)static var savedValues: [ViewModelKit.SavedContract] {
                    [
            \(entries.map { "            \($0)," }.joined(separator: "\n"))
                    ]
                }
            """
        let former = "    \(access)static var formerNames: [String] { [\(names)] }"
        let members = [entries.isEmpty ? nil : values, names.isEmpty ? nil : former].compactMap(\.self)
        return try ExtensionDeclSyntax("extension \(raw: type) {\n\(raw: members.joined(separator: "\n"))\n}")
    }
}

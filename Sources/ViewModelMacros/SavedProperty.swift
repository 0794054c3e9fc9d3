import SwiftSyntax
import SwiftSyntaxBuilder

/// A property of a class that is saved.
struct SavedProperty {
    private let entry: String

    /// Reads a declaration; nil for one that is not saved.
    private init?(_ declaration: DeclSyntax, of type: String) {
        guard let variable = declaration.as(VariableDeclSyntax.self),
            let attribute = ["State", "Field", "Output"].lazy.compactMap({ variable.attributes.attribute($0) }).first,
            let persistence = attribute.argument(), let property = StoredProperty(variable, attribute)
        else { return nil }
        let former = attribute.formerNames.joined(separator: ", ")
        let formerly = former.isEmpty ? "" : ", formerly: [\(former)]"
        entry =
            ".init(\(property.name.asLiteral), in: \(persistence.trimmed)\(formerly)) "
            + "{ (owner: \(type)) in owner.$\(property.name) }"
    }

    /// Returns the extension with the saved values of a class and its former names, or nil without them.
    static func table(
        _ declaration: ClassDeclSyntax,
        _ attribute: AttributeSyntax,
        of type: some TypeSyntaxProtocol,
        access: String
    ) throws -> ExtensionDeclSyntax? {
        let type = type.trimmedDescription
        let entries = declaration.memberBlock.members.compactMap { SavedProperty($0.decl, of: type)?.entry }
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

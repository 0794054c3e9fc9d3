import SwiftSyntax

/// One member of a face, as it was declared.
struct FaceMember {
    let face: Face
    /// The name as written, perhaps in backticks.
    let identifier: TokenSyntax
    let description: String
    /// The policy of an action, as written.
    var policy: String?

    /// The name on the wire.
    var name: String { identifier.text.withoutBackticks }

    /// The entry in the contract.
    var entry: String {
        let policy = face == .actions ? ", policy: \(policy ?? ".exclusive")" : ""
        return ".\(face.entry)(\(name.asLiteral), \(description.asLiteral)\(policy)) "
            + "{ $0.\(face.propertyName).\(identifier.text) }"
    }
}

/// What clients can see of a ViewModel: its name, and its members in the order of their declaration.
///
/// `@ViewModel` writes it; authors never do.
public struct ViewModelContract<Owner: AnyObject & SendableMetatype>: Sendable {
    /// The type's name on the wire.
    public let name: String
    /// The doc comment of the class.
    public let description: String
    /// What it takes when it is opened; nil where that is nothing.
    package let arguments: MemberShape?
    package let members: [MemberContract<Owner>]

    /// Makes a contract; `@ViewModel` does.
    public init(name: String, description: String, members: [MemberContract<Owner>]) {
        self.name = name
        self.description = description
        self.arguments = nil
        self.members = members
    }

    /// Makes the contract of a ViewModel that takes arguments when it is opened; `@ViewModel` does.
    public init<Arguments: Codable & SendableMetatype>(
        name: String,
        description: String,
        arguments: Arguments.Type,
        members: [MemberContract<Owner>]
    ) {
        self.name = name
        self.description = description
        self.arguments = MemberShape { () throws(SchemaError) in try Schema.of(Arguments.self) }
        self.members = members
    }
}

/// Reads a value that a client sent, whatever its encoding.
package protocol ValueReader: AnyObject {
    /// - Throws: ``InvalidValue``, or the reader's own error, when there is no such value.
    func read<Value: Decodable>(_ type: Value.Type) throws -> Value
}

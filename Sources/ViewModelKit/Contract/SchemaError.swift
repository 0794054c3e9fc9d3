/// An error for a type whose schema cannot be found, with the remedy for its author.
public struct SchemaError: Error, Equatable, CustomStringConvertible {
    /// The name of the type.
    public var type: String
    /// The name of the type whose schema was requested, if that type only contains the other.
    public var root: String?
    /// The reason: a sentence without a full stop.
    public var reason: String
    /// The remedy: a sentence without a full stop.
    public var remedy: String

    /// The error as text.
    public var description: String {
        "No schema for \(type)\(root.map { " (needed by \($0))" } ?? ""): \(reason). \(remedy)."
    }

    init(_ type: Any.Type, _ reason: String, remedy: String = "Conform it to SchemaProviding") {
        self.type = Self.name(of: type)
        self.reason = reason
        self.remedy = remedy
    }

    /// Returns the name of a type with its module and enclosing types, without the compiler's marks for private types.
    static func name(of type: Any.Type) -> String {
        String(reflecting: type).replacing(/\(unknown context at \$[0-9a-f]+\)\./, with: "")
    }
}

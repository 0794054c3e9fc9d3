/// A type whose shape cannot be found, and what its author can do about it.
public struct SchemaError: Error, Equatable, CustomStringConvertible {
    /// The name of the type.
    public var type: String
    /// The name of the type that was asked for, where it only contains the other.
    public var root: String?
    /// Why the shape cannot be found: a sentence without its stop.
    public var reason: String
    /// What to do about it: a sentence without its stop.
    public var remedy: String

    /// The error in words.
    public var description: String {
        "No schema for \(type)\(root.map { " (needed by \($0))" } ?? ""): \(reason). \(remedy)."
    }

    init(_ type: Any.Type, _ reason: String, remedy: String = "Conform it to SchemaProviding") {
        self.type = Self.name(of: type)
        self.reason = reason
        self.remedy = remedy
    }

    /// The name of a type with its enclosing types and its module, without the compiler's marks for private ones.
    static func name(of type: Any.Type) -> String {
        String(reflecting: type).replacing(/\(unknown context at \$[0-9a-f]+\)\./, with: "")
    }
}

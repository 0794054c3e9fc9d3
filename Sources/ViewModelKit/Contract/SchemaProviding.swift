/// A type that provides its own schema, because its `init(from:)` is written by hand.
public protocol SchemaProviding {
    /// The schema of the type's values on the wire.
    static var schema: Schema { get }

    /// A value that is used while the schema of an enclosing type is found.
    ///
    /// With nil, the default, ``Schema/of(_:)`` searches for a value. Provide one if `init(from:)` refuses values that
    /// ``schema`` allows, such as a string without a valid checksum.
    static var schemaExample: Self? { get }
}

extension SchemaProviding {
    /// Nil, so that ``Schema/of(_:)`` searches for a value.
    public static var schemaExample: Self? { nil }
}

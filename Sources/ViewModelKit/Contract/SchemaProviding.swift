/// A type that describes its own shape, because its `init(from:)` is written by hand.
public protocol SchemaProviding {
    /// The shape of the type's values on the wire.
    static var schema: Schema { get }

    /// A value that stands in while the shape of a type around this one is found.
    ///
    /// Nil, the default, leaves it to ``Schema/of(_:)`` to find one. A type gives one when its `init(from:)` refuses what
    /// ``schema`` alone lets expect, such as a string that must have a checksum.
    static var schemaExample: Self? { get }
}

extension SchemaProviding {
    /// No value of its own.
    public static var schemaExample: Self? { nil }
}

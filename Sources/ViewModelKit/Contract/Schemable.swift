public import FoundationEssentials

/// A type of values on the wire: of an input, an output, an event, of params or of a result.
///
/// Write `@Schemable` on a struct or an enum. Write `schema` by hand for a type whose `init(from:)` or `encode(to:)` is
/// written by hand, and for a type of another module:
///
///     struct Amount: Schemable {
///         var cents: Int
///         static var schema: Schema { .string(format: "amount") }
///         init(from decoder: any Decoder) throws { … }
///         func encode(to encoder: any Encoder) throws { … }
///     }
///     extension Colour: @retroactive Schemable {}
///
/// A type with a raw value needs no `schema`: it has the schema of its raw value, and a `CaseIterable` one lists its
/// cases.
public protocol Schemable: Codable, SendableMetatype {
    /// The schema of the type's values on the wire.
    ///
    /// It is read when a client first calls the member or asks for the contract.
    static var schema: Schema { get }
}

/// Makes a struct or an enum a type of values on the wire, with a schema that is read from its declaration.
///
/// It adds `Codable`, `Equatable` and ``Schemable``. The schema describes the coding that Swift synthesises:
///
/// - A struct is an object with its stored properties, in the order of their declaration or of its `CodingKeys`. A
///   property of the type `T?` may be null or left out. A `let` with a value is not a part of the object.
/// - An enum with raw values is one of these strings or integers. If it is `CaseIterable`, it lists `allCases`.
/// - Any other enum is an object with one member: the name of its case, with an object of the associated values.
///
/// Doc comments of the type, of its properties and of its cases are their descriptions for clients. A property with
/// ``Bounds(_:matching:)`` limits what clients may send.
///
/// The macro sees the declaration only. If the coding is written in an extension, write `schema` in the declaration,
/// too.
@attached(member, names: named(schema))
@attached(extension, conformances: Schemable, Codable, Equatable)
public macro Schemable() = #externalMacro(module: "ViewModelMacros", type: "SchemableMacro")

// MARK: - Raw values

extension Schemable where Self: RawRepresentable, RawValue: Schemable {
    /// The schema of the raw value.
    public static var schema: Schema { .of(RawValue.self) }
}

extension Schemable where Self: RawRepresentable & CaseIterable, RawValue == String {
    /// One of the raw values of `allCases`.
    public static var schema: Schema { .cases(allCases) }
}

extension Schemable where Self: RawRepresentable & CaseIterable, RawValue: FixedWidthInteger & Schemable {
    /// One of the raw values of `allCases`.
    public static var schema: Schema { .cases(allCases) }
}

// MARK: - Booleans, numbers and strings

extension Bool: Schemable {
    /// True or false.
    public static var schema: Schema { .boolean }
}

extension String: Schemable {
    /// A string.
    public static var schema: Schema { .string() }
}

extension Schemable where Self: FixedWidthInteger {
    /// An integer in the range of the type.
    public static var schema: Schema {
        guard let minimum = Int128(exactly: Self.min), let maximum = Int128(exactly: Self.max) else {
            return .integer()
        }
        return .integer(minimum...maximum)
    }
}

extension Int: Schemable {}
extension Int8: Schemable {}
extension Int16: Schemable {}
extension Int32: Schemable {}
extension Int64: Schemable {}
extension Int128: Schemable {}
extension UInt: Schemable {}
extension UInt8: Schemable {}
extension UInt16: Schemable {}
extension UInt32: Schemable {}
extension UInt64: Schemable {}
extension UInt128: Schemable {}

extension Schemable where Self: BinaryFloatingPoint {
    /// A number.
    public static var schema: Schema { .number }
}

extension Float: Schemable {}
extension Double: Schemable {}

// MARK: - Collections

extension Optional: Schemable where Wrapped: Schemable {
    /// A value or null.
    public static var schema: Schema { .optional(.of(Wrapped.self)) }
}

extension Array: Schemable where Element: Schemable {
    /// An array.
    public static var schema: Schema { .array(.of(Element.self)) }
}

extension ContiguousArray: Schemable where Element: Schemable {
    /// An array.
    public static var schema: Schema { .array(.of(Element.self)) }
}

extension Set: Schemable where Element: Schemable {
    /// An array.
    public static var schema: Schema { .array(.of(Element.self)) }
}

extension Range: Schemable where Bound: Schemable {
    /// An array of the two bounds.
    public static var schema: Schema { .array(.of(Bound.self)) }
}

extension ClosedRange: Schemable where Bound: Schemable {
    /// An array of the two bounds.
    public static var schema: Schema { .array(.of(Bound.self)) }
}

extension Dictionary: Schemable where Key: Schemable, Value: Schemable {
    /// An object if the keys are names, otherwise an array in which keys and values alternate.
    public static var schema: Schema {
        Key.self == String.self || Key.self == Int.self || Key.self is any CodingKeyRepresentable.Type
            ? .dictionary(.of(Value.self)) : .array(.anyOf([.of(Key.self), .of(Value.self)]))
    }
}

extension Duration: Schemable {
    /// An array of the high and the low 64 bits of the attoseconds.
    public static var schema: Schema { .array(.anyOf([.of(Int64.self), .of(UInt64.self)])) }
}

// MARK: - Foundation

extension Date: Schemable {
    /// A string such as `2026-01-31T12:00:00Z`.
    public static var schema: Schema { .string(format: "date-time") }
}

extension Data: Schemable {
    /// A base64 string.
    public static var schema: Schema { .string(contentEncoding: "base64") }
}

extension URL: Schemable {
    /// A string.
    public static var schema: Schema { .string(format: "uri") }
}

extension UUID: Schemable {
    /// A string.
    public static var schema: Schema { .string(format: "uuid") }
}

extension Decimal: Schemable {
    /// A string of digits, so that no digit is lost.
    public static var schema: Schema { .string(format: "decimal") }
}

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A type whose schema is known without running its initialiser.
///
/// ``SchemaLeaves`` lists it, unless it is generic.
protocol SchemaLeaf: Decodable {
    /// Returns the type's schema.
    ///
    /// A collection uses the probe for the schema of its elements.
    static func schema(_ probe: SchemaProbe) throws(SchemaError) -> Schema
    /// Returns a value of the type, made from an offer.
    static func placeholder(_ offer: SchemaOffer) -> Self
}

/// The types whose schema is known.
///
/// A conformance check in Swift walks over all conformances of the program, which takes about 0.1 ms. The check is
/// therefore made only for generic types.
enum SchemaLeaves {
    /// Returns the type as a leaf, or nil if it is not one.
    static func find(_ type: any Decodable.Type) -> (any SchemaLeaf.Type)? {
        plain[ObjectIdentifier(type)] ?? (SchemaCases.isGeneric(type) ? type as? any SchemaLeaf.Type : nil)
    }

    /// All leaves that are not generic.
    private static let plain: [ObjectIdentifier: any (SchemaLeaf & SendableMetatype).Type] = {
        let leaves: [any (SchemaLeaf & SendableMetatype).Type] = [
            Bool.self, String.self, Float.self, Double.self,
            Int.self, Int8.self, Int16.self, Int32.self, Int64.self, Int128.self,
            UInt.self, UInt8.self, UInt16.self, UInt32.self, UInt64.self, UInt128.self,
            Date.self, Data.self, URL.self, UUID.self, Decimal.self,
        ]
        return Dictionary(uniqueKeysWithValues: leaves.map { (ObjectIdentifier($0), $0) })
    }()
}

/// The made-up scalars that an initialiser reads in a trial.
struct SchemaOffer {
    var string = ""
    var integer: Int128 = 0

    /// Offers for types that check what they read.
    ///
    /// Most types accept one of them.
    static let all: [SchemaOffer] = [
        SchemaOffer(),
        SchemaOffer(string: "a", integer: 1),
        SchemaOffer(string: "0", integer: -1),
        SchemaOffer(string: "1", integer: 10),
        SchemaOffer(string: "1970-01-01T00:00:00Z", integer: 100),
        SchemaOffer(string: "00000000-0000-0000-0000-000000000000", integer: 1_000),
        SchemaOffer(string: "a@example.org", integer: 10_000),
        SchemaOffer(string: "https://example.org/", integer: 100_000),
        SchemaOffer(string: "abcdefgh", integer: 1_000_000),
    ]
}

extension Bool: SchemaLeaf {
    static func schema(_ probe: SchemaProbe) -> Schema { .boolean }
    static func placeholder(_ offer: SchemaOffer) -> Bool { offer.integer == 1 }
}

extension String: SchemaLeaf {
    static func schema(_ probe: SchemaProbe) -> Schema { .string() }
    static func placeholder(_ offer: SchemaOffer) -> String { offer.string }
}

extension SchemaLeaf where Self: FixedWidthInteger {
    static func schema(_ probe: SchemaProbe) -> Schema {
        guard let minimum = Int128(exactly: Self.min), let maximum = Int128(exactly: Self.max) else {
            return .integer()
        }
        return .integer(minimum...maximum)
    }
    static func placeholder(_ offer: SchemaOffer) -> Self { Self(clamping: offer.integer) }
}

extension Int: SchemaLeaf {}
extension Int8: SchemaLeaf {}
extension Int16: SchemaLeaf {}
extension Int32: SchemaLeaf {}
extension Int64: SchemaLeaf {}
extension Int128: SchemaLeaf {}
extension UInt: SchemaLeaf {}
extension UInt8: SchemaLeaf {}
extension UInt16: SchemaLeaf {}
extension UInt32: SchemaLeaf {}
extension UInt64: SchemaLeaf {}
extension UInt128: SchemaLeaf {}

extension SchemaLeaf where Self: BinaryFloatingPoint {
    static func schema(_ probe: SchemaProbe) -> Schema { .number }
    static func placeholder(_ offer: SchemaOffer) -> Self { Self(offer.integer) }
}

extension Float: SchemaLeaf {}
extension Double: SchemaLeaf {}

extension Optional: SchemaLeaf where Wrapped: Decodable {
    static func schema(_ probe: SchemaProbe) throws(SchemaError) -> Schema { try probe.schema(of: Wrapped.self).orNull }
    static func placeholder(_ offer: SchemaOffer) -> Wrapped? { nil }
}

extension Array: SchemaLeaf where Element: Decodable {
    static func schema(_ probe: SchemaProbe) throws(SchemaError) -> Schema {
        .array(try probe.schema(of: Element.self))
    }
    static func placeholder(_ offer: SchemaOffer) -> [Element] { [] }
}

extension ContiguousArray: SchemaLeaf where Element: Decodable {
    static func schema(_ probe: SchemaProbe) throws(SchemaError) -> Schema {
        .array(try probe.schema(of: Element.self))
    }
    static func placeholder(_ offer: SchemaOffer) -> ContiguousArray<Element> { [] }
}

extension Set: SchemaLeaf where Element: Decodable {
    static func schema(_ probe: SchemaProbe) throws(SchemaError) -> Schema {
        .array(try probe.schema(of: Element.self))
    }
    static func placeholder(_ offer: SchemaOffer) -> Set<Element> { [] }
}

extension Dictionary: SchemaLeaf where Key: Decodable, Value: Decodable {
    static func schema(_ probe: SchemaProbe) throws(SchemaError) -> Schema {
        let value = try probe.schema(of: Value.self)
        if Key.self == String.self || Key.self == Int.self || Key.self is any CodingKeyRepresentable.Type {
            return .dictionary(value)
        }
        // Dictionaries with other keys are encoded as an array in which keys and values alternate.
        return .array(.either([try probe.schema(of: Key.self), value]))
    }
    static func placeholder(_ offer: SchemaOffer) -> [Key: Value] { [:] }
}

extension Date: SchemaLeaf {
    static func schema(_ probe: SchemaProbe) -> Schema { .string(format: "date-time") }
    static func placeholder(_ offer: SchemaOffer) -> Date { Date(timeIntervalSince1970: Double(offer.integer)) }
}

extension Data: SchemaLeaf {
    static func schema(_ probe: SchemaProbe) -> Schema { .string(contentEncoding: "base64") }
    static func placeholder(_ offer: SchemaOffer) -> Data { Data(offer.string.utf8) }
}

extension URL: SchemaLeaf {
    static func schema(_ probe: SchemaProbe) -> Schema { .string(format: "uri") }
    static func placeholder(_ offer: SchemaOffer) -> URL { URL(filePath: "/") }
}

extension UUID: SchemaLeaf {
    static func schema(_ probe: SchemaProbe) -> Schema { .string(format: "uuid") }
    static func placeholder(_ offer: SchemaOffer) -> UUID {
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    }
}

extension Decimal: SchemaLeaf {
    static func schema(_ probe: SchemaProbe) -> Schema { .string(format: "decimal") }
    static func placeholder(_ offer: SchemaOffer) -> Decimal { Decimal(Int(clamping: offer.integer)) }
}

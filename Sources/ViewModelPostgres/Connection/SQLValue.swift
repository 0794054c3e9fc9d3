/// A parameter of a statement.
///
/// Text from people is stored as bytes, because PostgreSQL's text cannot contain a NUL.
package enum SQLValue: Sendable {
    case integer(Int64)
    case real(Double)
    case text(String)
    case bytes([UInt8])
    case truth(Bool)
    case integers([Int64])
    case texts([String])
    /// An array of byte strings; nil elements are NULL.
    case byteStrings([[UInt8]?])
    /// NULL, whose type the server infers.
    case null

    package static func number(_ value: some BinaryInteger) -> Self { .integer(Int64(clamping: value)) }

    /// Creates the bytes of a text from people.
    package static func bytes(of text: String?) -> Self { text.map { .bytes(Array($0.utf8)) } ?? .null }
}

/// The binary format of parameters (`src/backend/utils/adt` of PostgreSQL: `int8send`, `textsend`, `array_send`).
extension SQLValue {
    /// The type's number in `pg_type`; 0 for one that the server infers.
    var type: UInt32 {
        switch self {
        case .null: 0
        case .integer: 20
        case .real: 701
        case .text: 25
        case .bytes: 17
        case .truth: 16
        case .integers: 1016
        case .texts: 1009
        case .byteStrings: 1001
        }
    }

    /// The value in the binary format; nil for NULL.
    var encoded: [UInt8]? {
        switch self {
        case .integer(let value): Self.bigEndian(value)
        case .real(let value): Self.bigEndian(value.bitPattern)
        case .text(let text): Array(text.utf8)
        case .bytes(let bytes): bytes
        case .truth(let value): [value ? 1 : 0]
        case .integers(let values): Self.array(of: 20, values.map { Self.bigEndian($0) })
        case .texts(let values): Self.array(of: 25, values.map { Array($0.utf8) })
        case .byteStrings(let values): Self.array(of: 17, values)
        case .null: nil
        }
    }

    private static func array(of type: Int32, _ elements: [[UInt8]?]) -> [UInt8] {
        // Dimensions, whether an element is NULL, the type, the number of elements, the index of the first one.
        var bytes = bigEndian(Int32(1)) + bigEndian(Int32(elements.contains(nil) ? 1 : 0)) + bigEndian(type)
        bytes += bigEndian(Int32(elements.count)) + bigEndian(Int32(1))
        for element in elements {
            bytes += bigEndian(element.map { Int32($0.count) } ?? -1)
            bytes += element ?? []
        }
        return bytes
    }

    private static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }
}

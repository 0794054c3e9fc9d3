/// The schema of a protocol method's params or result, as `rpc.discover` and the tables of `docs/protocol.md` show it.
///
/// The host converts it to the schemas of authors' types.
package indirect enum WireSchema: Sendable, Equatable {
    /// Any JSON value.
    case any
    /// Null only.
    case null
    /// True or false.
    case boolean
    /// An integer, within the range if there is one.
    case integer(ClosedRange<Int128>?)
    /// A string, with an optional format such as `date-time`.
    case string(format: String?)
    /// One of these strings.
    case enumeration([String])
    /// An array whose elements have this schema.
    case array(WireSchema)
    /// An object with arbitrary member names whose values have this schema.
    case dictionary(WireSchema)
    /// An object with these members, in this order.
    case object([Member])
    /// A value of this schema, or null.
    case optional(WireSchema)

    /// A member of an object.
    package struct Member: Sendable, Equatable {
        /// The member's name.
        package var name: String
        /// The schema of the member's value.
        package var schema: WireSchema
        /// Whether the member is always present.
        package var isRequired: Bool
    }
}

extension WireSchema {
    /// A string of any format.
    static var string: WireSchema { .string(format: nil) }
    /// A time in RFC 3339.
    static var time: WireSchema { .string(format: "date-time") }
    /// An integer of any size.
    static var integer: WireSchema { .integer(nil) }
    /// An integer of 0 or more.
    static var count: WireSchema { .integer(0...Int128(Int64.max)) }
    /// The number of a Unix user.
    static var uid: WireSchema { .integer(0...Int128(UInt32.max)) }
    /// The name of a program and perhaps its version.
    static var program: WireSchema {
        .object([.required("name", .string), .optional("version", .optional(.string))])
    }
}

extension WireSchema.Member {
    /// Creates a member that is always present.
    static func required(_ name: String, _ schema: WireSchema) -> Self {
        Self(name: name, schema: schema, isRequired: true)
    }

    /// Creates a member that may be absent.
    static func optional(_ name: String, _ schema: WireSchema) -> Self {
        Self(name: name, schema: schema, isRequired: false)
    }
}

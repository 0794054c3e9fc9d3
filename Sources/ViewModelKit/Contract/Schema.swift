/// The schema of a value on the wire, as `rpc.discover` shows it.
///
/// ``of(_:)`` finds it for a `Decodable` type. It is a plain value. The host encodes it as JSON Schema.
public indirect enum Schema: Sendable, Equatable {
    /// Any JSON value.
    case any
    /// Null only.
    case null
    /// True or false.
    case boolean
    /// An integer, within the range if there is one.
    case integer(ClosedRange<Int128>? = nil)
    /// A number with or without a fraction.
    case number
    /// A string, with an optional format (`date-time`, `uri`, `uuid`, `decimal`) or content encoding (`base64`).
    case string(format: String? = nil, contentEncoding: String? = nil)
    /// One of these strings.
    case enumeration([String])
    /// One of these integers.
    case integerEnumeration([Int128])
    /// An array whose elements have this schema.
    case array(Schema)
    /// An object with arbitrary member names whose values have this schema.
    case dictionary(Schema)
    /// An object with exactly these members, in the order of their declaration.
    case object([Property])
    /// A value of this schema, or null.
    case optional(Schema)
    /// A value of one of these schemas.
    ///
    /// An enum with associated values is an object with one member for its case.
    case anyOf([Schema])
    /// A schema that contains itself.
    ///
    /// Inside of it, ``reference(_:)`` with the same name stands for the whole.
    ///
    /// The name consists of letters, digits, `.`, `_` and `-`, so that it is valid as a key among a document's
    /// components.
    case definition(String, Schema)
    /// The enclosing ``definition(_:_:)`` of that name.
    case reference(String)
}

extension Schema {
    /// A member of an object.
    public struct Property: Sendable, Equatable {
        /// The member's name.
        public var name: String
        /// The schema of the member's value.
        public var schema: Schema
        /// Whether the member is required.
        public var required: Bool

        /// Creates a member of an object.
        public init(_ name: String, _ schema: Schema, required: Bool = true) {
            self.name = name
            self.schema = schema
            self.required = required
        }
    }

    static let passwordFormat = "password"

    /// Whether a value of this schema contains a ``Password``.
    package var isSecret: Bool {
        switch self {
        case .string(let format, _): format == Self.passwordFormat
        case .array(let schema), .dictionary(let schema), .optional(let schema), .definition(_, let schema):
            schema.isSecret
        case .object(let properties): properties.contains { $0.schema.isSecret }
        case .anyOf(let alternatives): alternatives.contains { $0.isSecret }
        case .any, .null, .boolean, .integer, .number, .enumeration, .integerEnumeration, .reference: false
        }
    }

    /// Whether each value of this schema is a JSON object, whose members are the params by name.
    public var isObject: Bool {
        switch self {
        case .object, .dictionary: true
        case .definition(_, let schema): schema.isObject
        case .anyOf(let alternatives): !alternatives.isEmpty && alternatives.allSatisfy(\.isObject)
        default: false
        }
    }

    /// This schema or null.
    ///
    /// A schema that already allows null is unchanged.
    var orNull: Schema {
        switch self {
        case .any, .null, .optional: self
        default: .optional(self)
        }
    }

    /// Returns the schema of a value that has one of several schemas.
    ///
    /// Duplicates are removed.
    static func either(_ alternatives: [Schema]) -> Schema {
        var distinct: [Schema] = []
        for alternative in alternatives where !distinct.contains(alternative) { distinct.append(alternative) }
        if distinct.contains(.any) { return .any }
        return distinct.count == 1 ? distinct[0] : .anyOf(distinct)
    }
}

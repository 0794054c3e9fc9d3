/// The shape of a value on the wire, as `rpc.discover` tells it.
///
/// ``of(_:)`` finds it for a `Decodable` type. It is a value without text: writing it down as JSON Schema is the host's work.
public indirect enum Schema: Sendable, Equatable {
    /// Any JSON value.
    case any
    /// Null and nothing else.
    case null
    /// True or false.
    case boolean
    /// A whole number, within the range where there is one.
    case integer(ClosedRange<Int128>? = nil)
    /// A number with or without a fraction.
    case number
    /// A string, perhaps of a format (`date-time`, `uri`, `uuid`, `decimal`) or holding binary (`base64`).
    case string(format: String? = nil, contentEncoding: String? = nil)
    /// One of these strings.
    case enumeration([String])
    /// One of these whole numbers.
    case integerEnumeration([Int128])
    /// An array of which each element has the shape.
    case array(Schema)
    /// An object with arbitrary member names, of which each value has the shape.
    case dictionary(Schema)
    /// An object with these members and no others, in the order of their declaration.
    case object([Property])
    /// The shape, or null.
    case optional(Schema)
    /// Any one of these shapes: an enum with associated values is an object with one member for its case.
    case anyOf([Schema])
    /// A shape that contains itself: inside it, ``reference(_:)`` with the same name stands for the whole.
    ///
    /// The name consists of letters, digits, `.`, `_` and `-`, so that it may be a key among a document's components.
    case definition(String, Schema)
    /// The enclosing ``definition(_:_:)`` of that name.
    case reference(String)
}

extension Schema {
    /// A member of an object.
    public struct Property: Sendable, Equatable {
        /// The member's name.
        public var name: String
        /// The shape of the member's value.
        public var schema: Schema
        /// Whether the member must be there.
        public var required: Bool

        /// Describes a member of an object.
        public init(_ name: String, _ schema: Schema, required: Bool = true) {
            self.name = name
            self.schema = schema
            self.required = required
        }
    }

    static let passwordFormat = "password"

    /// Whether a value of the shape holds a ``Password``.
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

    /// Whether each value of the shape is a JSON object, so that its members are given as params by name.
    public var isObject: Bool {
        switch self {
        case .object, .dictionary: true
        case .definition(_, let schema): schema.isObject
        case .anyOf(let alternatives): !alternatives.isEmpty && alternatives.allSatisfy(\.isObject)
        default: false
        }
    }

    /// The shape or null, without saying null twice.
    var orNull: Schema {
        switch self {
        case .any, .null, .optional: self
        default: .optional(self)
        }
    }

    /// The shape of a value that is any of several; one alone is itself.
    static func either(_ alternatives: [Schema]) -> Schema {
        var distinct: [Schema] = []
        for alternative in alternatives where !distinct.contains(alternative) { distinct.append(alternative) }
        if distinct.contains(.any) { return .any }
        return distinct.count == 1 ? distinct[0] : .anyOf(distinct)
    }
}

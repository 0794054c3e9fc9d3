/// The schema of a value on the wire, as `rpc.discover` shows it.
///
/// It is a plain value, which a ``Schemable`` type has. The host encodes it as JSON Schema.
public indirect enum Schema: Sendable, Equatable {
    /// The schema of a type.
    ///
    /// ``of(_:)`` creates it.
    case type(ValueType)
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
    /// A schema that is shown as this JSON Schema, the text of an object.
    ///
    /// The second schema says the same as well as it can.
    case document(String, Schema)
    /// A schema with a description, names of cases or bounds.
    ///
    /// ``described(_:)``, ``bounded(_:)`` and `cases(_:_:)` create it.
    case annotated(Schema, Annotation)
}

extension Schema {
    /// A member of an object.
    public struct Property: Sendable, Equatable {
        /// The member's name.
        public var name: String
        /// The schema of the member's value.
        public var schema: Schema
        /// Whether a client must send the member.
        ///
        /// The daemon always sends it, unless it is not required and its schema does not allow null.
        public var required: Bool
        /// The doc comment of the member.
        public var description: String
        /// Whether the daemon leaves the member out when it has no value, although its schema may allow null.
        package var isLeftOut = false

        /// Creates a member of an object.
        public init(_ name: String, _ schema: Schema, required: Bool = true, description: String = "") {
            self.name = name
            self.schema = schema
            self.required = required
            self.description = description
        }

        /// Whether the daemon always sends the member: with null if it has no value, as its encoder does.
        package var isAlwaysSent: Bool { required || !isLeftOut && schema.allowsNull }
    }

    /// A type whose schema is read only when it is needed, because the type may contain itself.
    public struct ValueType: Sendable, Equatable {
        package let type: any Schemable.Type

        /// Returns whether two types are the same.
        public static func == (left: ValueType, right: ValueType) -> Bool { left.type == right.type }
    }

    /// Returns the schema of a type's values.
    public static func of<Value: Schemable>(_ type: Value.Type) -> Schema { .type(ValueType(type: type)) }

    /// Returns the schema of an enum with these cases: one of their raw values.
    ///
    /// - Parameters:
    ///   - cases: the cases.
    ///   - notes: the names and the descriptions of some of them.
    /// - Returns: the schema.
    public static func cases<Case: RawRepresentable>(
        _ cases: some Sequence<Case>,
        _ notes: [(Case, name: String, description: String)] = []
    ) -> Schema where Case.RawValue == String {
        .enumeration(cases.map(\.rawValue)).noting(cases, notes)
    }

    /// Returns the schema of an enum with these cases: one of their raw values.
    ///
    /// - Parameters:
    ///   - cases: the cases.
    ///   - notes: the names and the descriptions of some of them.
    /// - Returns: the schema.
    public static func cases<Case: RawRepresentable>(
        _ cases: some Sequence<Case>,
        _ notes: [(Case, name: String, description: String)] = []
    ) -> Schema where Case.RawValue: FixedWidthInteger {
        .integerEnumeration(cases.map { Int128(clamping: $0.rawValue) }).noting(cases, notes)
    }
}

// MARK: - Questions of the host

extension Schema {
    package static let passwordFormat = "password"

    /// The largest depth of nested types.
    ///
    /// Only a generic type that contains itself with another argument nests deeper. It ends in any value.
    package static let deepest = 100

    /// Whether a value of this schema contains a ``Password``.
    package var isSecret: Bool {
        switch self {
        case .string(let format, _): format == Self.passwordFormat
        case .array(let schema), .dictionary(let schema), .optional(let schema), .definition(_, let schema),
            .document(_, let schema), .annotated(let schema, _):
            schema.isSecret
        case .object(let properties): properties.contains { $0.schema.isSecret }
        case .anyOf(let alternatives): alternatives.contains { $0.isSecret }
        case .type: resolved.isSecret
        case .any, .null, .boolean, .integer, .number, .enumeration, .integerEnumeration, .reference: false
        }
    }

    /// Whether each value of this schema is a JSON object, whose members are the params by name.
    package var isObject: Bool {
        switch self {
        case .object, .dictionary: true
        case .definition(_, let schema), .document(_, let schema), .annotated(let schema, _): schema.isObject
        case .anyOf(let alternatives): !alternatives.isEmpty && alternatives.allSatisfy(\.isObject)
        case .type: resolved.isObject
        default: false
        }
    }

    /// Whether the value may be null.
    package var allowsNull: Bool {
        switch self {
        case .any, .null, .optional: true
        case .type(let value): value.type.schema.allowsNull
        case .annotated(let schema, _), .document(_, let schema), .definition(_, let schema): schema.allowsNull
        case .anyOf(let alternatives): alternatives.contains { $0.allowsNull }
        default: false
        }
    }

    /// The form of the values: this schema without ``type(_:)`` and ``annotated(_:_:)``.
    ///
    /// Each type is described where it stands, and a type that contains itself is a ``definition(_:_:)``.
    package var resolved: Schema {
        var resolver = SchemaResolver()
        return resolver.resolve(self)
    }
}

/// The replacement of types by their schemas.
private struct SchemaResolver {
    /// The types whose schema is being resolved, from the outside in.
    private var path: [ObjectIdentifier] = []
    /// The types in `path` that occurred again.
    private var referenced: Set<ObjectIdentifier> = []
    private var depth = 0

    mutating func resolve(_ schema: Schema) -> Schema {
        switch schema {
        case .type(let value): resolve(value.type)
        case .array(let element): .array(resolve(element))
        case .dictionary(let value): .dictionary(resolve(value))
        case .object(let properties): .object(properties.map { resolve($0) })
        case .optional(let value): optional(resolve(value))
        case .anyOf(let alternatives): union(of: alternatives.map { resolve($0) })
        case .definition(let name, let value): .definition(name, resolve(value))
        case .document(let text, let value): .document(text, resolve(value))
        case .annotated(let schema, _): resolve(schema)
        case .any, .null, .boolean, .integer, .number, .string, .enumeration, .integerEnumeration, .reference: schema
        }
    }

    private mutating func resolve(_ property: Schema.Property) -> Schema.Property {
        // Its description is dropped like all annotations.
        Schema.Property(property.name, resolve(property.schema), required: property.required)
    }

    private mutating func resolve(_ type: any Schemable.Type) -> Schema {
        let id = ObjectIdentifier(type)
        if path.contains(id) {
            referenced.insert(id)
            return .reference(SchemaName.qualified(type))
        }
        guard depth < Schema.deepest else { return .any }
        depth += 1
        defer { depth -= 1 }

        let schema = type.schema.plain
        switch schema {
        case .object, .anyOf: break
        // Collections and plain values are described where they stand, so that only what they contain gets a name.
        default: return resolve(schema)
        }
        path.append(id)
        defer { path.removeLast() }
        let resolved = resolve(schema)
        return referenced.remove(id) == nil ? resolved : .definition(SchemaName.qualified(type), resolved)
    }

    /// Returns a schema or null.
    ///
    /// A schema that already allows null is unchanged.
    private func optional(_ schema: Schema) -> Schema {
        switch schema {
        case .any, .null, .optional: schema
        default: .optional(schema)
        }
    }

    /// Returns the schema of a value that has one of several schemas.
    ///
    /// Duplicates are removed.
    private func union(of alternatives: [Schema]) -> Schema {
        var distinct: [Schema] = []
        for alternative in alternatives where !distinct.contains(alternative) { distinct.append(alternative) }
        if distinct.contains(.any) { return .any }
        return distinct.count == 1 ? distinct[0] : .anyOf(distinct)
    }
}

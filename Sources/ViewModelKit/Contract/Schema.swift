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
        /// How the member is read from values that were saved before it was there under its name, or nil.
        let earlier: Earlier?

        /// Creates a member of an object.
        public init(
            _ name: String,
            _ schema: Schema,
            required: Bool = true,
            description: String = "",
            earlier: Earlier? = nil
        ) {
            self.name = name
            self.schema = schema
            self.required = required
            self.description = description
            self.earlier = earlier
        }

        /// Whether the daemon always sends the member: with null if it has no value, as its encoder does.
        package var isAlwaysSent: Bool { required || schema.allowsNull }
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

    /// Returns the schema of an enum of integers with these cases, with notes as for an enum of strings.
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
        contains { if case .string(format: Self.passwordFormat, _) = $0 { true } else { false } }
    }

    /// Whether a part of a value of this schema has bounds.
    var hasBounds: Bool {
        contains { if case .annotated(_, let annotation) = $0 { annotation.bounds != nil } else { false } }
    }

    /// Returns whether this schema or one inside of it satisfies a condition.
    func contains(_ condition: (Schema) -> Bool) -> Bool {
        // Each type is entered once, so that the time grows with the number of types and not with that of their places.
        var types: Set<ObjectIdentifier> = []
        func contains(_ schema: Schema, inside depth: Int) -> Bool {
            if condition(schema) { return true }
            return switch schema {
            case .type(let value):
                depth < Self.deepest && types.insert(ObjectIdentifier(value.type)).inserted
                    && contains(value.type.schema, inside: depth + 1)
            case .array(let part), .dictionary(let part), .optional(let part), .document(_, let part),
                .annotated(let part, _):
                contains(part, inside: depth)
            case .object(let properties): properties.contains { contains($0.schema, inside: depth) }
            case .anyOf(let alternatives): alternatives.contains { contains($0, inside: depth) }
            default: false
            }
        }
        return contains(self, inside: 0)
    }

    /// Whether each value of this schema is a JSON object, whose members are the params by name.
    package var isObject: Bool {
        let alternatives = alternatives
        return !alternatives.isEmpty
            && alternatives.allSatisfy { schema in
                switch schema {
                case .object, .dictionary: true
                default: false
                }
            }
    }

    /// Whether the value may be null.
    package var allowsNull: Bool { alternatives.contains { $0 == .any || $0 == .null } }

    /// The form of the values: this schema without the types and the annotations around it.
    package var form: Schema {
        var form = self
        for _ in 0..<Self.deepest {
            switch form {
            case .type(let value): form = value.type.schema
            case .annotated(let schema, _): form = schema
            default: return form
            }
        }
        return .any
    }

    /// The forms of which a value has one, each once; null is one of them if it is allowed.
    ///
    /// None of them is a type or has alternatives itself. What is inside of them may be.
    package var alternatives: [Schema] {
        var found: [Schema] = []
        var types: Set<ObjectIdentifier> = []
        var open = [self]
        while let next = open.popLast() {
            switch next {
            case .type(let value):
                guard types.count < Self.deepest, types.insert(ObjectIdentifier(value.type)).inserted else { continue }
                open.append(value.type.schema)
            case .anyOf(let alternatives): open += alternatives.reversed()
            case .optional(let schema): open += [.null, schema]
            case .document(_, let schema), .annotated(let schema, _): open.append(schema)
            default: if !found.contains(next) { found.append(next) }
            }
        }
        return found
    }
}

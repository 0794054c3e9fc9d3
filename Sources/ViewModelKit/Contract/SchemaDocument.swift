package import JSONRPC

/// A converter of schemas to JSON Schema that collects the components they refer to (protocol, section 9).
///
/// A value that the daemon sends is open: it may have members that the schema does not name. Each member that is always
/// there is required, null or not. A named type is a component.
///
/// A value that a client sends is closed and has the bounds that its author declared. It is described where it stands,
/// with the name of its type as `title`. Only a type that contains itself is a component of its own, and one beyond
/// ``mostDescribed``.
package struct SchemaDocument {
    /// The direction of a value.
    enum Direction {
        case sentByDaemon
        case sentByClient
        /// From a store, where an earlier version of the code has put it.
        case saved
    }

    /// The components: those of the contract file, then the others in the order of their first use.
    package private(set) var definitions: [(name: String, schema: JSONValue)]
    private var indices: [String: Int]
    package var names: SchemaNames
    /// The types of clients' values that are being described, from the outside in.
    private var path: [ObjectIdentifier] = []
    /// The components of clients' values that contain themselves.
    private var recursive: [ObjectIdentifier: String] = [:]
    private var depth = 0
    /// The number of types that are described where they stand in the schema of a client's value.
    private var described = 0

    /// The most types or components that are described where they stand in one schema.
    ///
    /// The description of two equal members with two equal members each grows without bounds.
    package static let mostDescribed = 1000

    /// Creates a converter.
    ///
    /// - Parameter definitions: the components of a contract file. Only a type that is described in the same way gets the
    ///   name of one.
    package init(definitions: [(name: String, schema: JSONValue)] = []) {
        names = SchemaNames(taken: Set(definitions.map(\.name)))
        self.definitions = definitions
        indices = Dictionary(definitions.enumerated().map { ($1.name, $0) }) { first, _ in first }
    }

    /// Returns the JSON Schema of a value that the daemon sends.
    package mutating func sent(_ schema: Schema) -> JSONValue { describe(schema, .sentByDaemon) }

    /// Returns the JSON Schema of a value that a client sends.
    ///
    /// The members of an object are the params themselves. They are listed without the name of the type.
    package mutating func received(_ schema: Schema) -> JSONValue {
        described = 0
        guard case .type(let value) = schema, case .object(let properties) = value.type.schema.plain else {
            return describe(schema, .sentByClient)
        }
        return inside(value.type) { $0.object(properties, .sentByClient) }
            .described(value.type.schema.annotation?.description ?? "")
    }

    /// Returns the JSON Schema of the saved values that the code can read completely, without references and descriptions.
    ///
    /// A type inside of itself is shown as any value.
    package mutating func saved(_ schema: Schema) -> JSONValue {
        described = 0
        return describe(schema, .saved)
    }

    /// Returns the component with a name, or nil.
    package func definition(_ name: String) -> JSONValue? { indices[name].map { definitions[$0].schema } }

    // MARK: Types

    private mutating func describe(_ type: any Schemable.Type, _ direction: Direction) -> JSONValue {
        guard depth < Schema.deepest else { return .object([:]) }
        let schema = type.schema
        if direction == .saved {
            guard !path.contains(ObjectIdentifier(type)), described < Self.mostDescribed else { return .object([:]) }
            described += 1
            return inside(type) { $0.describe(schema, direction) }
        }
        let isRecursive: Bool
        switch schema.plain {
        case .object, .anyOf: isRecursive = true
        case .enumeration, .integerEnumeration: isRecursive = false
        // Collections and plain values are described where they stand, so that only what they contain has a name.
        default: return describe(schema, direction)
        }
        let name = shared(type, schema) ?? define(names.name(of: type)) { $0.describe(schema, .sentByDaemon) }
        guard direction == .sentByClient, isRecursive else { return Self.reference(name) }
        let id = ObjectIdentifier(type)
        if !path.contains(id), described < Self.mostDescribed {
            described += 1
            return inside(type) { $0.describe(schema, direction) }.adding("title", .string(name))
        }
        if let known = recursive[id] { return Self.reference(known) }
        let own = names.take("\(name).Params")
        recursive[id] = own
        let outer = path
        path = []
        defer { path = outer }
        return Self.reference(
            define(own) { document in
                document.inside(type) { $0.describe(schema, direction) }.adding("title", .string(name))
            }
        )
    }

    /// Returns the name of a component of the contract file that describes a type in the same way, or nil.
    ///
    /// The contract of a mock names the types of the built-in ViewModels in this way.
    private mutating func shared(_ type: any Schemable.Type, _ schema: Schema) -> String? {
        let name = names.wanted(type)
        guard names.known(type) == nil, let authored = definition(name), !names.isGiven(name) else { return nil }
        let before = self
        names.give(name, to: type)
        if describe(schema, .sentByDaemon) == authored { return name }
        self = before
        return nil
    }

    /// Adds a component, unless there is one of that name; returns the name.
    private mutating func define(_ name: String, _ describe: (inout Self) -> JSONValue) -> String {
        guard indices[name] == nil else { return name }
        let index = definitions.count
        indices[name] = index
        definitions.append((name, .object([:])))
        depth += 1
        defer { depth -= 1 }
        let value = describe(&self)
        definitions[index].schema = value
        return name
    }

    private mutating func inside(_ type: any Schemable.Type, _ describe: (inout Self) -> JSONValue) -> JSONValue {
        path.append(ObjectIdentifier(type))
        depth += 1
        defer {
            path.removeLast()
            depth -= 1
        }
        return describe(&self)
    }

    // MARK: Schemas

    private mutating func describe(_ schema: Schema, _ direction: Direction) -> JSONValue {
        switch schema {
        case .type(let value): return describe(value.type, direction)
        case .any: return .object([:])
        case .null: return Self.type("null")
        case .boolean: return Self.type("boolean")
        case .integer(let range): return Self.integer(range)
        case .number: return .object(["type": .string("number"), "format": .string("double")])
        case .string(let format, let encoding): return Self.string(format, encoding)
        case .enumeration(let cases):
            return .object(["type": .string("string"), "enum": .array(cases.map { .string($0) })])
        case .integerEnumeration(let cases):
            return .object(["type": .string("integer"), "enum": .array(cases.map { .number("\($0)") })])
        case .array(let element):
            return .object(["type": .string("array"), "items": describe(element, direction)])
        case .dictionary(let value):
            return .object(["type": .string("object"), "additionalProperties": describe(value, direction)])
        case .object(let properties): return object(properties, direction)
        case .optional(let value):
            guard !value.allowsNull else { return describe(value, direction) }
            return .object(["anyOf": .array([describe(value, direction), Self.type("null")])])
        case .anyOf(let alternatives): return union(of: alternatives, direction)
        case .document(let text, _): return JSONValue(text: text) ?? .object([:])
        case .annotated(let value, let annotation):
            let described = describe(value, direction)
            return direction == .saved ? described : described.annotated(annotation, of: value, direction)
        }
    }

    private mutating func describe(_ property: Schema.Property, _ direction: Direction) -> JSONValue {
        let description = direction == .saved ? "" : property.description
        return describe(property.schema, direction).described(description)
    }

    private mutating func object(_ properties: [Schema.Property], _ direction: Direction) -> JSONValue {
        var members: JSONObject = ["type": .string("object")]
        members["properties"] = .object(
            JSONObject(
                properties.map { property in (property.name, describe(property, direction)) }
            )
        )
        let required = properties.filter { property in
            switch direction {
            case .sentByDaemon: property.isAlwaysSent
            case .sentByClient: property.required
            case .saved: property.required && property.earlier?.absent == nil
            }
        }
        let former = properties.compactMap { property -> (String, JSONValue)? in
            guard direction == .saved, let names = property.earlier?.names, !names.isEmpty else { return nil }
            return (property.name, .array(names.map { .string($0) }))
        }
        if !former.isEmpty { members["x-formerly"] = .object(JSONObject(former)) }
        if !required.isEmpty { members["required"] = .array(required.map { .string($0.name) }) }
        if direction != .sentByDaemon { members["additionalProperties"] = .bool(false) }
        return .object(members)
    }

    /// Returns the schema of a value that has one of several schemas.
    ///
    /// Duplicates are removed.
    private mutating func union(of alternatives: [Schema], _ direction: Direction) -> JSONValue {
        var distinct: [Schema] = []
        for alternative in alternatives where !distinct.contains(alternative) { distinct.append(alternative) }
        if distinct.contains(.any) { return .object([:]) }
        if distinct.count == 1 { return describe(distinct[0], direction) }
        return .object(["anyOf": .array(distinct.map { describe($0, direction) })])
    }

    // MARK: Plain values

    private static func type(_ name: String) -> JSONValue { .object(["type": .string(name)]) }

    private static func reference(_ name: String) -> JSONValue {
        .object(["$ref": .string("#/components/schemas/\(name)")])
    }

    private static func integer(_ range: ClosedRange<Int128>?) -> JSONValue {
        var members: JSONObject = ["type": .string("integer")]
        guard let range else { return .object(members) }
        let (smallest, largest) = (Int128(Int64.min), Int128(Int64.max))
        switch range.upperBound {
        case largest: members["format"] = .string("int64")
        case Int128(UInt64.max): members["format"] = .string("uint64")
        default: break
        }
        // The bounds of a 64-bit integer are of no use to a client.
        if range.lowerBound > smallest { members["minimum"] = .number("\(range.lowerBound)") }
        if range.upperBound < largest { members["maximum"] = .number("\(range.upperBound)") }
        return .object(members)
    }

    private static func string(_ format: String?, _ encoding: String?) -> JSONValue {
        var members: JSONObject = ["type": .string("string")]
        if let format = format ?? (encoding == "base64" ? "byte" : nil) { members["format"] = .string(format) }
        if let encoding { members["contentEncoding"] = .string(encoding) }
        if format == Schema.passwordFormat { members["writeOnly"] = .bool(true) }
        return .object(members)
    }
}

extension Schema {
    /// The annotations around the schema.
    var annotation: Annotation? {
        if case .annotated(_, let annotation) = self { annotation } else { nil }
    }
}

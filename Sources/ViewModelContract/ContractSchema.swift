import JSONRPC
import TextPatterns
package import ViewModelProtocol

/// A JSON Schema of a contract.
package struct ContractSchema: Sendable {
    /// The form of the values.
    package indirect enum Rule: Sendable {
        case any
        case null
        case boolean
        case integer(minimum: Int128?, maximum: Int128?)
        case number(minimum: Double?, maximum: Double?)
        case string(StringRule)
        /// One of these values.
        case choice([Choice])
        case array(ContractSchema, count: ClosedRange<Int>, isSet: Bool)
        /// `others` is the schema of further members; nil if there are none.
        case object([Property], others: ContractSchema?)
        case anyOf([ContractSchema])
        /// A schema of `components`.
        case reference(String)
    }

    /// The form of a string.
    package struct StringRule: Sendable {
        /// The format; `byte` for the content encoding `base64`.
        package var format: String?
        package var length = 0...Int.max
        package var pattern: String?
        /// The bounds of the number in a text of the format `decimal`.
        package var minimum, maximum: Double?
        /// The pattern; nil without one, and for one that is not supported.
        var search: TextPattern?
    }

    /// A case of an enum.
    package struct Choice: Sendable {
        package let value: JSONValue
        /// The description for people, or an empty text.
        package let description: String
        /// The value without the quotes of a string.
        package var text: String { value.stringValue ?? value.description }
    }

    /// A member of an object.
    package struct Property: Sendable {
        package let name: String
        package let schema: ContractSchema
        package let isRequired: Bool
    }

    package let rule: Rule
    /// The format of a string or a number, such as `date-time` or `int64`.
    package var format: String? { node["format"]?.text }
    /// The description for people, or an empty text.
    package var description: String { node["description"]?.text ?? "" }
    /// The schema itself.
    package let node: ContractNode
    /// The value that the schema gives as an example or default.
    package let example: ContractNode?
    /// The first keyword that ``rule`` leaves out, as the message of an error at its place.
    package let unread: ContractFault?
}

/// The schemas of a contract's `components`.
package struct ContractComponents: Sendable {
    /// The names, in the order of the document.
    package let names: [String]
    private let schemas: [String: ContractSchema]
    /// The components to which those that are only references refer in the end.
    private let targets: [String: ContractSchema]
    /// The components whose values are secrets or contain some.
    let secretNames: Set<String>

    init(_ schemas: [(name: String, schema: ContractSchema)]) {
        let known = Dictionary(schemas.map { ($0.name, $0.schema) }) { $1 }
        var seen: Set<String> = []
        names = schemas.map(\.name).filter { seen.insert($0).inserted }
        var targets: [String: ContractSchema] = [:]
        for name in names {
            var chain: [String] = []
            var passed: Set<String> = []
            var end = known[name]
            while case .reference(let next)? = end?.rule, passed.insert(next).inserted, let target = known[next] {
                chain.append(next)
                end = targets[next] ?? target
            }
            if let end { for name in [name] + chain { targets[name] = end } }
        }
        self.schemas = known
        self.targets = targets
        secretNames = Self.secretNames(known)
    }

    /// Returns the schema with a name, or nil.
    package subscript(name: String) -> ContractSchema? { schemas[name] }

    /// Returns a schema, or the component to which it refers.
    package func resolved(_ schema: ContractSchema) -> ContractSchema {
        if case .reference(let name) = schema.rule { targets[name] ?? schema } else { schema }
    }

    /// Returns the schemas of which a value has one: those of all alternatives, also of alternatives inside of others.
    ///
    /// Each component is in the list once, as a reference to it. None of them has alternatives.
    package func alternatives(of schema: ContractSchema) -> [ContractSchema] { alternatives(of: [schema]) }

    /// Returns the alternatives of several schemas, as if these were the alternatives of one.
    package func alternatives(of schemas: [ContractSchema]) -> [ContractSchema] {
        var found: [ContractSchema] = []
        var seen: Set<String> = []
        var open = Array(schemas.reversed())
        while let next = open.popLast() {
            if case .reference(let name) = next.rule, !seen.insert(name).inserted { continue }
            if case .anyOf(let alternatives) = resolved(next).rule {
                open += alternatives.reversed()
            } else {
                found.append(next)
            }
        }
        return found
    }

    /// Returns whether each value of a schema is an object, whose members are the params (protocol, section 6).
    package func isObject(_ schema: ContractSchema) -> Bool {
        let alternatives = alternatives(of: schema)
        return !alternatives.isEmpty
            && alternatives.allSatisfy { if case .object = resolved($0).rule { true } else { false } }
    }

    /// Returns whether some value of a schema is an object.
    package func mayBeObject(_ schema: ContractSchema) -> Bool {
        alternatives(of: schema).contains { schema in
            switch resolved(schema).rule {
            case .object, .any: true
            default: false
            }
        }
    }
}

// MARK: - Reading

extension ContractSchema {
    /// Reads a JSON Schema.
    ///
    /// - Parameters:
    ///   - node: the schema.
    ///   - reading: the components, to which schemas in `allOf` may refer, and what may still be read.
    /// - Throws: ``ContractFault``: it is no schema.
    init(_ node: ContractNode, _ reading: SchemaReading) throws(ContractFault) {
        if node.bool == true {
            self.init(rule: .any, node)
            return
        }
        guard node.members != nil else { throw node.fault("expected a JSON Schema, such as {type: string}") }
        var (node, unread): (ContractNode, ContractFault?) = (node, nil)
        if node.combinesSchemas {
            do { node = try node.mergingAllOf(reading) } catch { unread = error }
        }
        var rule = try reading.reading(node) { () throws(ContractFault) in
            try unread == nil ? Self.rule(node, reading) : .any
        }
        if node["nullable"]?.bool == true {
            rule = .anyOf([ContractSchema(rule: rule, node), ContractSchema(rule: .null, node)])
        }
        self.init(rule: rule, node, unread: unread)
    }

    /// The schema of null.
    package static let null = ContractSchema(rule: .null, ContractNode(.object(["type": .string("null")])))

    /// Creates the schema of any value from one that cannot be read.
    static func unreadable(_ node: ContractNode) -> ContractSchema { ContractSchema(rule: .any, node) }

    /// Returns the schema with another form of values.
    func replacing(_ rule: Rule) -> ContractSchema { ContractSchema(rule: rule, node, unread: unread) }

    private init(rule: Rule, _ node: ContractNode, unread: ContractFault? = nil) {
        self.rule = rule
        self.node = node
        example = node["example"] ?? node["examples"]?.elements?.first ?? node["default"]
        let keyword = Self.unsupported.lazy.compactMap { name in node[name].map { (name, $0) } }.first
        self.unread = unread ?? keyword.map { $0.1.fault("the keyword \($0.0)") }
    }

    private static let unsupported = [
        "not", "if", "then", "else", "patternProperties", "propertyNames", "dependentRequired", "dependentSchemas",
        "dependencies", "prefixItems", "contains", "unevaluatedProperties", "unevaluatedItems", "$dynamicRef",
    ]

    /// The first part of a reference to a component.
    package static let prefix = "#/components/schemas/"

    private static func rule(_ node: ContractNode, _ reading: SchemaReading) throws(ContractFault) -> Rule {
        if let reference = node["$ref"] {
            guard let text = reference.text, text.hasPrefix(prefix) else {
                throw reference.fault("expected a reference that begins with \(prefix)")
            }
            return .reference(String(text.dropFirst(prefix.count)))
        }
        if let constant = node["const"] {
            return .choice([choice(constant, node["description"])])
        }
        if let choices = node["enum"] {
            guard let values = choices.elements, !values.isEmpty else {
                throw choices.fault("expected a list of values")
            }
            let descriptions = node["x-enumDescriptions"]
            let notes = node["oneOf"]?.elements ?? []
            return .choice(
                values.enumerated().map { index, value in
                    let note = notes.first { $0["const"]?.json == value.json }
                    let listed = descriptions?.elements?.dropFirst(index).first
                    let named = value.text.flatMap { descriptions?[$0] }
                    return choice(value, note?["description"] ?? listed ?? named)
                }
            )
        }
        for keyword in ["anyOf", "oneOf", "allOf"] {
            guard let list = node[keyword] else { continue }
            guard let elements = list.elements, !elements.isEmpty else {
                throw list.fault("expected a list of schemas")
            }
            var alternatives: [ContractSchema] = []
            for element in elements { alternatives.append(try ContractSchema(element, reading)) }
            let choices = alternatives.flatMap(\.constants)
            if alternatives.count > 1, choices.count == alternatives.count { return .choice(choices) }
            return .anyOf(alternatives)
        }
        return try typedRule(node, reading)
    }

    private static func choice(_ value: ContractNode, _ description: ContractNode?) -> Choice {
        Choice(value: value.json, description: description?.text ?? "")
    }

    /// The value of `const`, if there is one.
    private var constants: [Choice] {
        if node["const"] != nil, case .choice(let choices) = rule { choices } else { [] }
    }

    private static func typedRule(_ node: ContractNode, _ reading: SchemaReading) throws(ContractFault) -> Rule {
        guard let type = node["type"] else {
            if node["properties"] != nil { return try rule(of: "object", node, node, reading) }
            if node["items"] != nil { return try rule(of: "array", node, node, reading) }
            return .any
        }
        if let name = type.text { return try rule(of: name, type, node, reading) }
        guard let names = type.elements, !names.isEmpty else { throw type.fault("expected the name of a type") }
        var alternatives: [ContractSchema] = []
        for name in names {
            guard let text = name.text else { throw name.fault("expected the name of a type") }
            alternatives.append(ContractSchema(rule: try rule(of: text, name, node, reading), node))
        }
        return .anyOf(alternatives)
    }

    private static func rule(
        of type: String,
        _ place: ContractNode,
        _ node: ContractNode,
        _ reading: SchemaReading
    ) throws(ContractFault) -> Rule {
        switch type {
        case "null": return .null
        case "boolean": return .boolean
        case "integer": return try integer(node)
        case "number":
            try checkMultiple(node)
            let (low, high) = (try number(node, "exclusiveMinimum"), try number(node, "exclusiveMaximum"))
            return .number(
                minimum: try number(node, "minimum") ?? low?.nextUp,
                maximum: try number(node, "maximum") ?? high?.nextDown
            )
        case "string":
            let format = node["contentEncoding"]?.text == "base64" ? "byte" : node["format"]?.text
            let isNumber = format == "decimal"
            return .string(
                StringRule(
                    format: format,
                    length: try counts(node, "minLength", "maxLength"),
                    pattern: node["pattern"]?.text,
                    minimum: isNumber ? try number(node, "minimum") : nil,
                    maximum: isNumber ? try number(node, "maximum") : nil,
                    search: node["pattern"]?.text.flatMap { try? TextPattern($0) }
                )
            )
        case "array":
            let isSet = node["uniqueItems"]?.bool == true
            let items = try node["items"].map { items throws(ContractFault) in
                try ContractSchema(items, reading)
            }
            return .array(items ?? any(node), count: try counts(node, "minItems", "maxItems"), isSet: isSet)
        case "object": return try object(node, reading)
        default:
            throw place.fault(
                "expected null, boolean, integer, number, string, array or object, found \(type)"
            )
        }
    }

    private static func any(_ node: ContractNode) -> ContractSchema {
        ContractSchema(rule: .any, ContractNode(members: [], pointer: node.pointer, line: node.line))
    }

    private static func object(_ node: ContractNode, _ reading: SchemaReading) throws(ContractFault) -> Rule {
        var properties: [Property] = []
        let required = node["required"]?.elements ?? []
        let requiredNames = Set(required.compactMap { $0.text.map(ExactString.init) })
        _ = try counts(node, "minProperties", "maxProperties")
        if let declared = node["properties"] {
            guard let members = declared.members else { throw declared.fault("expected a map of schemas") }
            for member in members {
                let schema = try ContractSchema(member.node, reading)
                properties.append(
                    Property(
                        name: member.name,
                        schema: schema,
                        isRequired: requiredNames.contains(ExactString(member.name))
                    )
                )
            }
        }
        let others: ContractSchema?
        switch node["additionalProperties"] {
        // The authors of a contract name its members. An object without any is a dictionary.
        case nil: others = node["properties"] == nil ? any(node) : nil
        case let given?:
            if given.bool == false {
                others = nil
            } else {
                others = try ContractSchema(given, reading)
            }
        }
        var names = Set(properties.map { ExactString($0.name) })
        for name in required {
            guard let text = name.text, names.insert(ExactString(text)).inserted else { continue }
            guard let others else { throw name.fault("\(text) is required and stands not among the properties") }
            properties.append(Property(name: text, schema: others, isRequired: true))
        }
        return .object(properties, others: others)
    }

    private static func checkMultiple(_ node: ContractNode) throws(ContractFault) {
        guard let divisor = node["multipleOf"] else { return }
        guard let number = divisor.json.doubleValue, number > 0 else {
            throw divisor.fault("expected a number greater than 0")
        }
    }

    private static func integer(_ node: ContractNode) throws(ContractFault) -> Rule {
        try checkMultiple(node)
        // No integer of the wire lies beyond.
        func integral(_ bound: Double) -> Int128 { Int128(min(max(bound, -0x1p100), 0x1p100)) }
        var minimum = try number(node, "minimum").map { integral($0.rounded(.up)) }
        var maximum = try number(node, "maximum").map { integral($0.rounded(.down)) }
        // A double has not all digits of a large bound.
        if case .number(let text)? = node["minimum"]?.json, let exact = Int128(text) { minimum = exact }
        if case .number(let text)? = node["maximum"]?.json, let exact = Int128(text) { maximum = exact }
        if let low = try number(node, "exclusiveMinimum") {
            minimum = max(minimum ?? .min, integral(low.rounded(.down)) + 1)
        }
        if let high = try number(node, "exclusiveMaximum") {
            maximum = min(maximum ?? .max, integral(high.rounded(.up)) - 1)
        }
        if let minimum, let maximum, minimum > maximum { throw node.fault("minimum is greater than maximum") }
        return .integer(minimum: minimum, maximum: maximum)
    }

    private static func number(_ node: ContractNode, _ keyword: String) throws(ContractFault) -> Double? {
        guard let bound = node[keyword] else { return nil }
        guard let number = bound.json.doubleValue, number.isFinite else { throw bound.fault("expected a number") }
        return number
    }

    private static func counts(
        _ node: ContractNode,
        _ least: String,
        _ most: String
    ) throws(ContractFault) -> ClosedRange<Int> {
        var bounds = [0, Int.max]
        for (index, keyword) in [least, most].enumerated() {
            guard let bound = node[keyword] else { continue }
            guard let count = bound.json.intValue, count >= 0 else { throw bound.fault("expected a count") }
            bounds[index] = count
        }
        guard bounds[0] <= bounds[1] else { throw node.fault("\(least) is greater than \(most)") }
        return bounds[0]...bounds[1]
    }
}

// MARK: - Questions

extension ContractSchema {
    /// The names of the components that the schema refers to.
    package var references: [String] { references(through: \.parts) }

    /// Returns the names of the components that the schema or one of some parts refers to, and so on inside of these.
    package func references(through parts: (ContractSchema) -> [ContractSchema]) -> [String] {
        if case .reference(let name) = rule { [name] } else { parts(self).flatMap { $0.references(through: parts) } }
    }

    /// The schemas inside this one.
    package var parts: [ContractSchema] {
        switch rule {
        case .array(let element, _, _): [element]
        case .object(let properties, let others): properties.map(\.schema) + [others].compactMap(\.self)
        case .anyOf(let alternatives): alternatives
        default: []
        }
    }

    /// The number of which all values are multiples, as JSON text, if the values are numbers and the schema has it.
    package var divisor: String? {
        if case .number(let text)? = node["multipleOf"]?.json { text } else { nil }
    }

    /// The number of members that an object may have.
    package var memberCount: ClosedRange<Int> {
        (try? Self.counts(node, "minProperties", "maxProperties")) ?? 0...Int.max
    }

    /// The schema of params without the options of the call, which the host reads.
    ///
    /// Its node still has them.
    var withoutOptions: ContractSchema {
        guard case .object(let properties, let others) = rule else { return self }
        let values = properties.filter { $0.name != Meta.member }
        return ContractSchema(rule: .object(values, others: others), node, unread: unread)
    }

    /// Whether the only value is null.
    package var isNull: Bool {
        if case .null = rule { true } else { false }
    }

    /// Whether it is an object without members.
    package var isEmptyObject: Bool {
        if case .object(let properties, nil) = rule { properties.isEmpty } else { false }
    }

    /// The schema of the values that are not null, if null is allowed beside them; otherwise nil.
    package var unwrapped: ContractSchema? {
        guard case .anyOf(let alternatives) = rule, alternatives.contains(where: \.isNull) else { return nil }
        let others = alternatives.filter { !$0.isNull }
        return others.count == 1 ? others[0] : ContractSchema(rule: .anyOf(others), node)
    }
}

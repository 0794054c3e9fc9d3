import FoundationEssentials
import JSONRPC
import ViewModelKit
import ViewModelProtocol

/// A JSON Schema of a contract: it checks values, makes default ones and describes itself.
struct ContractSchema: Sendable {
    indirect enum Rule: Sendable {
        case any
        case null
        case boolean
        case integer(minimum: Int128?, maximum: Int128?)
        case number(minimum: Double?, maximum: Double?)
        case string(StringRule)
        /// One of these values.
        case choice([JSONValue])
        case array(ContractSchema, count: ClosedRange<Int>, isSet: Bool)
        /// `others` is the schema of further members; nil if there are none.
        case object([Property], others: ContractSchema?)
        case anyOf([ContractSchema])
        /// A schema of `components`.
        case reference(String)
    }

    struct StringRule: Sendable {
        var format: String?
        var contentEncoding: String?
        var length = 0...Int.max
        var pattern: String?
    }

    struct Property: Sendable {
        let name: String
        let schema: ContractSchema
        let isRequired: Bool
    }

    let rule: Rule
    /// The JSON text of the schema.
    let text: String
    /// The value that the schema gives as an example or default.
    let example: ContractNode?
}

// MARK: - Reading

extension ContractSchema {
    /// Reads a JSON Schema.
    ///
    /// - Parameter node: the schema.
    /// - Throws: ``ContractFault``: it is no schema, or it has a keyword that a mock cannot check.
    init(_ node: ContractNode) throws(ContractFault) {
        text = node.jsonText
        if case .bool(true) = node.value {
            (rule, example) = (.any, nil)
            return
        }
        guard node.members != nil else { throw node.fault("expected a JSON Schema, such as {type: string}") }
        for keyword in Self.unsupported {
            if let use = node[keyword] { throw use.fault("a mock cannot check the keyword \(keyword)") }
        }
        example = node["example"] ?? node["examples"]?.elements?.first ?? node["default"]
        var rule = try Self.rule(node)
        if case .bool(true)? = node["nullable"]?.value {
            rule = .anyOf([ContractSchema(rule: rule, text: text, example: nil), .null])
        }
        self.rule = rule
    }

    /// The schema of null.
    static let null = ContractSchema(rule: .null, text: #"{"type":"null"}"#, example: nil)

    private static let unsupported = [
        "not", "if", "then", "else", "patternProperties", "propertyNames", "dependentRequired", "dependentSchemas",
        "dependencies", "prefixItems", "contains", "unevaluatedProperties", "unevaluatedItems", "multipleOf",
        "minProperties", "maxProperties", "$dynamicRef",
    ]

    private static let prefix = "#/components/schemas/"

    private static func rule(_ node: ContractNode) throws(ContractFault) -> Rule {
        if let reference = node["$ref"] {
            guard let text = reference.text, text.hasPrefix(prefix) else {
                throw reference.fault("expected a reference that begins with \(prefix)")
            }
            return .reference(String(text.dropFirst(prefix.count)))
        }
        if let constant = node["const"] { return .choice([constant.json]) }
        if let choices = node["enum"] {
            guard let values = choices.elements, !values.isEmpty else {
                throw choices.fault("expected a list of values")
            }
            return .choice(values.map(\.json))
        }
        for keyword in ["anyOf", "oneOf", "allOf"] {
            guard let list = node[keyword] else { continue }
            guard let elements = list.elements, !elements.isEmpty else {
                throw list.fault("expected a list of schemas")
            }
            var alternatives: [ContractSchema] = []
            for element in elements { alternatives.append(try ContractSchema(element)) }
            guard keyword != "allOf" || alternatives.count == 1 else {
                throw list.fault("a mock cannot check allOf; write the members of all schemas into one")
            }
            return .anyOf(alternatives)
        }
        return try typedRule(node)
    }

    private static func typedRule(_ node: ContractNode) throws(ContractFault) -> Rule {
        guard let type = node["type"] else {
            if node["properties"] != nil { return try rule(of: "object", node, node) }
            if node["items"] != nil { return try rule(of: "array", node, node) }
            return .any
        }
        if let name = type.text { return try rule(of: name, type, node) }
        guard let names = type.elements, !names.isEmpty else { throw type.fault("expected the name of a type") }
        var alternatives: [ContractSchema] = []
        for name in names {
            guard let text = name.text else { throw name.fault("expected the name of a type") }
            alternatives.append(
                ContractSchema(rule: try rule(of: text, name, node), text: #"{"type":"\#(text)"}"#, example: nil)
            )
        }
        return .anyOf(alternatives)
    }

    private static func rule(
        of type: String,
        _ place: ContractNode,
        _ node: ContractNode
    ) throws(ContractFault) -> Rule {
        switch type {
        case "null": return .null
        case "boolean": return .boolean
        case "integer": return try integer(node)
        case "number":
            let (low, high) = (try number(node, "exclusiveMinimum"), try number(node, "exclusiveMaximum"))
            return .number(
                minimum: try number(node, "minimum") ?? low?.nextUp,
                maximum: try number(node, "maximum") ?? high?.nextDown
            )
        case "string":
            let pattern = node["pattern"]
            if let pattern, pattern.text.flatMap({ try? Regex($0) }) == nil {
                throw pattern.fault("expected a regular expression")
            }
            return .string(
                StringRule(
                    format: node["format"]?.text,
                    contentEncoding: node["contentEncoding"]?.text,
                    length: try counts(node, "minLength", "maxLength"),
                    pattern: pattern?.text
                )
            )
        case "array":
            let isSet = if case .bool(true)? = node["uniqueItems"]?.value { true } else { false }
            let items: ContractSchema =
                if let items = node["items"] { try ContractSchema(items) } else { .any }
            return .array(items, count: try counts(node, "minItems", "maxItems"), isSet: isSet)
        case "object": return try object(node)
        default:
            throw place.fault(
                "expected null, boolean, integer, number, string, array or object, found \(type)"
            )
        }
    }

    private static let any = ContractSchema(rule: .any, text: "{}", example: nil)

    private static func object(_ node: ContractNode) throws(ContractFault) -> Rule {
        var properties: [Property] = []
        let required = Set(node["required"]?.elements?.compactMap(\.text) ?? [])
        if let declared = node["properties"] {
            guard let members = declared.members else { throw declared.fault("expected a map of schemas") }
            for member in members {
                let schema = try ContractSchema(member.node)
                properties.append(
                    Property(name: member.name, schema: schema, isRequired: required.contains(member.name))
                )
            }
        }
        if let unknown = required.subtracting(properties.map(\.name)).sorted().first, let list = node["required"] {
            throw list.fault("\(unknown) is required and stands not among the properties")
        }
        switch node["additionalProperties"]?.value {
        case .bool(false)?: return .object(properties, others: nil)
        case nil:
            // The authors of a contract name its members. An object without any is a dictionary.
            return .object(properties, others: properties.isEmpty && node["properties"] == nil ? .any : nil)
        default:
            guard let others = node["additionalProperties"] else { return .object(properties, others: nil) }
            return .object(properties, others: try ContractSchema(others))
        }
    }

    private static func integer(_ node: ContractNode) throws(ContractFault) -> Rule {
        var minimum = try number(node, "minimum").map { Int128($0.rounded(.up)) }
        var maximum = try number(node, "maximum").map { Int128($0.rounded(.down)) }
        // A double has not all digits of a large bound.
        if case .number(let text)? = node["minimum"]?.value, let exact = Int128(text) { minimum = exact }
        if case .number(let text)? = node["maximum"]?.value, let exact = Int128(text) { maximum = exact }
        if let low = try number(node, "exclusiveMinimum") {
            minimum = max(minimum ?? .min, Int128(low.rounded(.down)) + 1)
        }
        if let high = try number(node, "exclusiveMaximum") {
            maximum = min(maximum ?? .max, Int128(high.rounded(.up)) - 1)
        }
        if let minimum, let maximum, minimum > maximum { throw node.fault("minimum is greater than maximum") }
        return .integer(minimum: minimum, maximum: maximum)
    }

    private static func number(_ node: ContractNode, _ keyword: String) throws(ContractFault) -> Double? {
        guard let bound = node[keyword] else { return nil }
        guard let number = bound.json.doubleValue, abs(number) < 1e30 else { throw bound.fault("expected a number") }
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

// MARK: - Describing

/// The schemas of a contract's `components`, by name.
typealias ContractComponents = [String: ContractSchema]

extension ContractSchema {
    /// Returns the schema for the host, which shows it as it stands in the contract.
    func schema(_ components: ContractComponents) -> Schema {
        schema(components, inside: [])
    }

    private func schema(_ components: ContractComponents, inside path: Set<String>) -> Schema {
        func members(_ properties: [Property]) -> [Schema.Property] {
            properties.map {
                .init($0.name, $0.schema.schema(components, inside: path), required: $0.isRequired)
            }
        }
        let inner: Schema =
            switch rule {
            case .any: .any
            case .null: .null
            case .boolean: .boolean
            case .integer: .integer()
            case .number: .number
            case .string(let rule): .string(format: rule.format, contentEncoding: rule.contentEncoding)
            case .choice(let values):
                values.allSatisfy({ $0.stringValue != nil }) ? .enumeration(values.compactMap(\.stringValue)) : .any
            case .array(let element, _, _): .array(element.schema(components, inside: path))
            case .object(let properties, nil): .object(members(properties))
            case .object(let properties, let others?):
                // A named member may have a secret, too.
                properties.isEmpty
                    ? .dictionary(others.schema(components, inside: path))
                    : .anyOf([
                        .object(members(properties)),
                        .dictionary(others.schema(components, inside: path)),
                    ])
            case .anyOf(let alternatives): .anyOf(alternatives.map { $0.schema(components, inside: path) })
            case .reference(let name):
                if path.contains(name) {
                    .reference(name)
                } else {
                    .definition(name, components[name]?.schema(components, inside: path.union([name])) ?? .any)
                }
            }
        return .document(text, inner)
    }

    /// The names of the components that the schema refers to.
    var references: [String] {
        switch rule {
        case .reference(let name): [name]
        case .array(let element, _, _): element.references
        case .object(let properties, let others):
            properties.flatMap(\.schema.references) + (others?.references ?? [])
        case .anyOf(let alternatives): alternatives.flatMap(\.references)
        default: []
        }
    }

    /// Whether the only value is null.
    var isNull: Bool {
        if case .null = rule { true } else { false }
    }

    /// Whether it is an object without members.
    var isEmptyObject: Bool {
        if case .object(let properties, nil) = rule { properties.isEmpty } else { false }
    }
}

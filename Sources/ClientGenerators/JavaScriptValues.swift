import ViewModelContract
import ViewModelProtocol

/// The types and the conversions of values in TypeScript.
struct JavaScriptValues {
    /// The components whose values are not as JSON has them.
    private(set) var convertible: Set<String> = []

    let components: ContractComponents
    private let names: JavaScriptNames
    /// The integers that a number holds exactly: those up to ±2⁵³.
    private static let exactIntegers: ClosedRange<Int128> = -9_007_199_254_740_992...9_007_199_254_740_992

    init(_ components: ContractComponents, _ names: JavaScriptNames) {
        self.components = components
        self.names = names
        var users: [String: [String]] = [:]
        for name in components.names {
            for used in Set(components[name]?.references ?? []) { users[used, default: []].append(name) }
        }
        // A component is convertible if it contains one that is, so that the users of each are looked at again.
        var open = components.names
        while let name = open.popLast() {
            guard !convertible.contains(name), components[name].flatMap({ shape(of: $0) }) != nil else { continue }
            convertible.insert(name)
            open += users[name, default: []]
        }
    }

    // MARK: Types

    func typeText(of schema: ContractSchema) -> String {
        switch schema.rule {
        case .any: "unknown"
        case .null: "null"
        case .boolean: "boolean"
        case .integer, .number, .string: conversion(of: schema)?.type ?? (isString(schema) ? "string" : "number")
        case .choice(let choices): union(of: choices, isClosed: schema.node["const"] != nil)
        case .array(let element, _, _): "readonly \(Self.parenthesized(typeText(of: element)))[]"
        case .object(let properties, let others): object(properties, others)
        case .anyOf(let alternatives): union(of: alternatives)
        case .reference(let name): names.component(name) ?? "unknown"
        }
    }

    /// Returns the declaration of a component, as the template shows it: an interface or an alias.
    func declaration(of schema: ContractSchema, named name: String) -> GeneratedTemplate.Values {
        let doc = JavaScriptText.doc(description(of: schema))
        guard case .object(let properties, nil) = schema.rule, !properties.isEmpty else {
            return ["alias": name, "doc": doc, "type": typeText(of: schema)]
        }
        let members = properties.map {
            Self.member($0.name, typeText(of: $0.schema), $0.schema.description, isRequired: $0.isRequired)
        }
        return ["interface": name, "doc": doc, "members": members]
    }

    /// Returns a member of an interface, as the template shows it.
    static func member(
        _ name: String,
        _ type: String,
        _ description: String,
        isRequired: Bool = true
    ) -> GeneratedTemplate.Values {
        [
            "doc": JavaScriptText.doc(description), "name": JavaScriptText.key(name) + (isRequired ? "" : "?"),
            "type": isRequired ? type : "\(type) | undefined",
        ]
    }

    /// Returns the description of a schema, with those of its cases.
    func description(of schema: ContractSchema) -> String {
        guard case .choice(let choices) = schema.rule else { return schema.description }
        let cases = choices.filter { !$0.description.isEmpty }.map {
            "- `\(JavaScriptText.literal($0.value))`: \($0.description)"
        }
        return ([schema.description] + cases).filter { !$0.isEmpty }.joined(separator: "\n")
    }

    /// Whether an object without members is a value.
    func isOptional(_ schema: ContractSchema) -> Bool {
        guard case .object(let properties, _) = components.resolved(schema).rule else { return false }
        return properties.allSatisfy { !$0.isRequired }
    }

    private func object(_ properties: [ContractSchema.Property], _ others: ContractSchema?) -> String {
        var members = properties.map { property in
            let type = typeText(of: property.schema)
            let member = property.isRequired ? ": \(type)" : "?: \(type) | undefined"
            return "readonly \(JavaScriptText.key(property.name))\(member)"
        }
        if let others {
            // The type of further members must allow those that are named.
            members.append("readonly [name: string]: \(properties.isEmpty ? typeText(of: others) : "unknown")")
        }
        return members.isEmpty ? "{ readonly [name: string]: never }" : "{ \(members.joined(separator: "; ")) }"
    }

    private func union(of choices: [ContractSchema.Choice], isClosed: Bool) -> String {
        var cases = Self.distinct(choices.map { JavaScriptText.literal($0.value) })
        if !isClosed {
            // A type that keeps the suggestions of editors and allows the cases of a later contract.
            if choices.contains(where: { $0.value.stringValue != nil }) { cases.append("(string & {})") }
            if choices.contains(where: { $0.value.doubleValue != nil }) { cases.append("(number & {})") }
        }
        return cases.joined(separator: " | ")
    }

    private func union(of alternatives: [ContractSchema]) -> String {
        let hasStrings = isAmbiguous(alternatives)
        let types = Self.distinct(
            alternatives.map { hasStrings && isString(components.resolved($0)) ? "string" : typeText(of: $0) }
        )
        return types.contains("unknown") ? "unknown" : types.joined(separator: " | ")
    }

    private static func distinct(_ texts: [String]) -> [String] {
        var seen: Set<String> = []
        return texts.filter { seen.insert($0).inserted }
    }

    private static func parenthesized(_ type: String) -> String {
        type.contains(" ") && !(type.hasPrefix("{") && type.hasSuffix("}") && !type.contains("} | {"))
            ? "(\(type))" : type
    }

    // MARK: Conversions

    /// Returns the expression that converts the values of a schema; nil if they are as JSON has them.
    func shape(of schema: ContractSchema) -> String? {
        switch schema.rule {
        case .any, .null, .boolean, .choice: return nil
        case .integer, .number, .string: return conversion(of: schema)?.function
        case .array(let element, _, _): return shape(of: element).map { "[\($0)]" }
        case .object(let properties, let others):
            var members = properties.compactMap { property in shape(of: property.schema).map { (property.name, $0) } }
            if let others = others.flatMap({ shape(of: $0) }) { members.append(("*", others)) }
            return members.isEmpty ? nil : JavaScriptText.object(members)
        case .anyOf(let alternatives): return shape(of: alternatives)
        case .reference(let name):
            guard convertible.contains(name), let shape = names.shapes[name] else { return nil }
            return "(value) => convert(value, \(shape))"
        }
    }

    /// Returns the expression for a value of one of several schemas, which it selects by what the value looks like.
    private func shape(of alternatives: [ContractSchema]) -> String? {
        let others = alternatives.filter { !$0.isNull }
        if others.count == 1 { return shape(of: others[0]) }
        let hasStrings = isAmbiguous(alternatives)
        let tests = others.compactMap { alternative -> String? in
            let resolved = components.resolved(alternative)
            if hasStrings, isString(resolved) { return nil }
            guard let test = test(of: resolved) else { return nil }
            return "\(test) ? \(shape(of: alternative) ?? "undefined") : "
        }
        guard others.contains(where: { shape(of: $0) != nil }), tests.contains(where: { !$0.contains("? undefined :") })
        else {
            return nil
        }
        return "(value) => convert(value, \(tests.joined())undefined)"
    }

    private func test(of schema: ContractSchema) -> String? {
        switch schema.rule {
        case .string, .choice: return "typeof value === \"string\""
        case .integer: return "typeof value === \"number\""
        case .array: return "Array.isArray(value)"
        case .object(let properties, _):
            let constants = properties.compactMap { property -> String? in
                guard case .choice(let choices) = property.schema.rule, choices.count == 1 else { return nil }
                return "value[\(JavaScriptText.quoted(property.name))] === \(JavaScriptText.literal(choices[0].value))"
            }
            let required = properties.filter(\.isRequired)
            let members = required.map { "Object.hasOwn(value, \(JavaScriptText.quoted($0.name)))" }
            let conditions = ["Object(value) === value"] + (constants.isEmpty ? members : constants)
            return conditions.joined(separator: " && ")
        default: return nil
        }
    }

    /// Whether a string can be a text or something that is converted.
    private func isAmbiguous(_ alternatives: [ContractSchema]) -> Bool {
        let strings = alternatives.map { components.resolved($0) }.filter { isString($0) }
        return Set(strings.map { conversion(of: $0)?.function ?? "" }).count > 1
    }

    private func isString(_ schema: ContractSchema) -> Bool {
        switch schema.rule {
        case .string: true
        case .choice(let choices): choices.contains { $0.value.stringValue != nil }
        default: false
        }
    }

    /// Whether a number of JavaScript holds all integers between two bounds; without bounds it is assumed.
    static func areExact(_ minimum: Int128?, _ maximum: Int128?) -> Bool {
        [minimum, maximum].compactMap(\.self).allSatisfy { exactIntegers.contains($0) }
    }

    private func conversion(of schema: ContractSchema) -> (type: String, function: String)? {
        switch schema.rule {
        case .integer(let minimum, let maximum):
            return Self.areExact(minimum, maximum) ? nil : ("bigint", "BigInt")
        case .string(let rule):
            if rule.format == "date-time" { return ("Date", "date") }
            return rule.format == "byte" ? ("Uint8Array", "bytes") : nil
        default: return nil
        }
    }
}

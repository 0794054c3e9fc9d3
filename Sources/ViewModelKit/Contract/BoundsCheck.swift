package import JSONRPC

/// The check of the bounds in the values of a schema (protocol, section 9).
///
/// It is made from the schema that the contract shows, so both have the same bounds.
package struct BoundsCheck: Sendable {
    /// Checks a part of a value at its place in the value.
    fileprivate typealias Part = @Sendable (JSONValue, _ path: String, Types) throws(InvalidValue) -> Void

    /// The checks of types, which others call by their positions, because a type may contain itself.
    fileprivate struct Types: Sendable {
        var checks: [Part] = []
    }

    private let whole: Part
    private let types: Types
    /// The range if the whole value is an integer, for a check without JSON.
    package let integers: ClosedRange<Int>?

    /// Creates the check; returns nil for a schema without bounds.
    package init?(of schema: Schema) {
        var builder = BoundsCheckBuilder()
        guard let whole = builder.part(schema), let rule = builder.rules.first else { return nil }
        self.whole = whole
        types = builder.types
        let isPlain = if case .annotated(_, let annotation) = schema { annotation.bounds != nil } else { false }
        integers = isPlain && builder.rules.count == 1 ? rule.integers : nil
    }

    /// Checks a value.
    ///
    /// - Throws: `InvalidValue` for the first part that is out of its bounds, with its place in the value.
    package func check(_ value: JSONValue) throws(InvalidValue) {
        try whole(value, "", types)
    }
}

/// A converter of schemas to checks of their bounds.
private struct BoundsCheckBuilder {
    typealias Part = BoundsCheck.Part

    private(set) var types = BoundsCheck.Types()
    /// The bounds that were found.
    private(set) var rules: [BoundsRule] = []
    /// The positions of the types that are being read or have been read.
    private var indices: [ObjectIdentifier: Int] = [:]
    private var depth = 0

    /// Returns the check of a schema, or nil if the schema has no bounds.
    mutating func part(_ schema: Schema) -> Part? {
        switch schema {
        case .annotated(let inner, let annotation):
            let part = part(inner)
            guard let bounds = annotation.bounds else { return part }
            let rule = BoundsRule(bounds, of: inner)
            rules.append(rule)
            return { value, path, types throws(InvalidValue) in
                guard rule.admits(value) else {
                    throw InvalidValue(path: path, expected: rule.text, found: ValueMismatch.describe(value))
                }
                try part?(value, path, types)
            }
        case .optional(let value), .document(_, let value): return part(value)
        case .array(let element):
            guard let part = part(element) else { return nil }
            return { value, path, types throws(InvalidValue) in
                for (index, element) in (value.arrayValue ?? []).enumerated() {
                    try part(element, "\(path)/\(index)", types)
                }
            }
        case .dictionary(let value):
            guard let part = part(value) else { return nil }
            return { value, path, types throws(InvalidValue) in
                for (name, value) in value.objectValue ?? [:] {
                    try part(value, path + ValueMismatch.step(name), types)
                }
            }
        case .object(let properties):
            let members = properties.compactMap { property in
                part(property.schema).map { (name: property.name, part: $0) }
            }
            guard !members.isEmpty else { return nil }
            return { value, path, types throws(InvalidValue) in
                for (name, part) in members {
                    if let value = value[name] { try part(value, path + ValueMismatch.step(name), types) }
                }
            }
        case .anyOf(let alternatives): return self.alternatives(alternatives)
        case .type(let value): return type(value.type)
        case .any, .null, .boolean, .integer, .number, .string, .enumeration, .integerEnumeration: return nil
        }
    }

    /// Returns the check of a value that must be within the bounds of one of the alternatives whose form it has.
    private mutating func alternatives(_ alternatives: [Schema]) -> Part? {
        let parts = alternatives.map { (forms: $0.shallowForms, part: part($0)) }
        guard parts.contains(where: { $0.part != nil }) else { return nil }
        return { value, path, types throws(InvalidValue) in
            let fitting = parts.filter { $0.forms.contains { $0.resembles(value) } }
            guard !fitting.isEmpty else {
                // The decoder has accepted a value that the schema does not describe: all bounds apply.
                for case let part? in parts.map({ $0.part }) { try part(value, path, types) }
                return
            }
            var refusal: InvalidValue?
            for alternative in fitting {
                guard let part = alternative.part else { return }
                do throws(InvalidValue) {
                    return try part(value, path, types)
                } catch {
                    refusal = refusal ?? error
                }
            }
            if let refusal { throw refusal }
        }
    }

    private mutating func type(_ type: any Schemable.Type) -> Part? {
        let id = ObjectIdentifier(type)
        if let index = indices[id] {
            return { value, path, types throws(InvalidValue) in try types.checks[index](value, path, types) }
        }
        // A generic type may contain itself with ever more arguments.
        guard depth < Schema.deepest else { return nil }
        depth += 1
        defer { depth -= 1 }
        let index = types.checks.count
        indices[id] = index
        types.checks.append { _, _, _ in }
        guard let part = part(type.schema) else { return nil }
        types.checks[index] = part
        return part
    }
}

extension Schema {
    /// The alternatives, with the alternatives of each object's members in place of the members' schemas.
    fileprivate var shallowForms: [Schema] {
        alternatives.map { form in
            guard case .object(let properties) = form else { return form }
            return .object(
                properties.map { .init($0.name, .anyOf($0.schema.alternatives), required: $0.required) }
            )
        }
    }

    /// Returns whether a value has this form: its kind, and the names and the kinds of its members.
    ///
    /// It does not look deeper, so its cost is that of one object. Bounds and patterns are ignored.
    fileprivate func resembles(_ value: JSONValue, looksInside: Bool = true) -> Bool {
        switch self {
        case .any: return true
        case .null: return value.isNull
        case .boolean: return value.boolValue != nil
        case .integer, .integerEnumeration: return value.doubleValue.map { $0 == $0.rounded() } ?? false
        case .number: return value.doubleValue != nil
        case .string: return value.stringValue != nil
        case .enumeration(let cases): return value.stringValue.map(cases.containsExactly) ?? false
        case .array: return value.arrayValue != nil
        case .dictionary: return value.objectValue != nil
        case .object(let properties):
            guard let members = value.objectValue else { return false }
            guard looksInside else { return true }
            return properties.allSatisfy { property in
                guard let member = members[property.name] else { return !property.required }
                return member.isNull && !property.required || property.schema.resembles(member, looksInside: false)
            } && members.keys.allSatisfy { name in properties.contains { $0.name.isExactly(name) } }
        case .anyOf(let forms): return forms.contains { $0.resembles(value, looksInside: looksInside) }
        // ``shallowForms`` has none of these.
        case .type, .optional, .document, .annotated: return true
        }
    }
}

package import JSONRPC
import Synchronization

/// The check of the bounds in the values of a schema (protocol, section 9).
///
/// It is made from the schema that the contract shows, so both have the same bounds.
package final class BoundsCheck: Sendable {
    private enum Node: Sendable {
        case nothing
        case bounded(BoundsRule, inner: Int?)
        case members([(name: String, node: Int)])
        /// The values of a dictionary.
        case values(Int)
        case elements(Int)
        /// The node of a type that may contain itself.
        case same(Int)
        case alternatives([Alternative])
    }

    /// One of several schemas of a value.
    private struct Alternative: Sendable {
        /// The forms of a value, and those of the members of an object.
        let forms: [Schema]
        /// The bounds; nil if it has none.
        let node: Int?
    }

    private let nodes: [Node]
    private let root: Int
    /// The range if the whole value is an integer, for a check without JSON.
    package let integers: ClosedRange<Int>?

    /// Creates the check; returns nil for a schema without bounds.
    package init?(of schema: Schema) {
        var builder = Builder()
        guard let root = builder.node(schema), builder.hasBounds else { return nil }
        self.root = root
        nodes = builder.nodes
        integers =
            if case .bounded(let rule, inner: nil) = builder.nodes[root] { rule.integers } else { nil }
    }

    /// Checks a value.
    ///
    /// - Throws: `InvalidValue` for the first part that is out of its bounds, with its place in the value.
    package func check(_ value: JSONValue) throws(InvalidValue) {
        try check(value, root, "")
    }

    private func check(_ value: JSONValue, _ node: Int, _ path: String) throws(InvalidValue) {
        switch (nodes[node], value) {
        case (.bounded(let rule, let inner), _):
            guard rule.admits(value) else {
                throw InvalidValue(path: path, expected: rule.text, found: ValueMismatch.describe(value))
            }
            if let inner { try check(value, inner, path) }
        case (.members(let members), .object(let values)):
            for member in members {
                if let value = values[member.name] {
                    try check(value, member.node, path + ValueMismatch.step(member.name))
                }
            }
        case (.values(let node), .object(let values)):
            for (name, value) in values {
                try check(value, node, path + ValueMismatch.step(name))
            }
        case (.elements(let node), .array(let elements)):
            for (index, element) in elements.enumerated() { try check(element, node, "\(path)/\(index)") }
        case (.same(let node), _): try check(value, node, path)
        case (.alternatives(let alternatives), _): try check(value, alternatives, path)
        default: break
        }
    }

    /// Checks a value that must be within the bounds of one of the alternatives whose form it has.
    private func check(_ value: JSONValue, _ alternatives: [Alternative], _ path: String) throws(InvalidValue) {
        let fitting = alternatives.filter { $0.forms.contains { $0.resembles(value) } }
        guard !fitting.isEmpty else {
            // The decoder has accepted a value that the schema does not describe: all bounds apply.
            for case let node? in alternatives.map(\.node) { try check(value, node, path) }
            return
        }
        var refusal: InvalidValue?
        for alternative in fitting {
            guard let node = alternative.node else { return }
            do throws(InvalidValue) {
                return try check(value, node, path)
            } catch {
                refusal = refusal ?? error
            }
        }
        if let refusal { throw refusal }
    }

    /// Finds the bounds in a schema.
    private struct Builder {
        private(set) var nodes: [Node] = []
        private(set) var hasBounds = false
        /// The nodes of types and definitions that are being read or have been read, because schemas may be recursive.
        private var types: [ObjectIdentifier: Int] = [:]
        private var definitions: [String: Int] = [:]
        private var depth = 0

        /// Returns the node of a schema, or nil if the schema has no bounds.
        mutating func node(_ schema: Schema) -> Int? {
            switch schema {
            case .annotated(let inner, let annotation):
                let node = node(inner)
                guard let bounds = annotation.bounds else { return node }
                hasBounds = true
                return add(.bounded(BoundsRule(bounds, of: inner), inner: node))
            case .optional(let value), .document(_, let value): return node(value)
            case .array(let element): return node(element).map { add(.elements($0)) }
            case .dictionary(let value): return node(value).map { add(.values($0)) }
            case .object(let properties):
                let members = properties.compactMap { property in
                    node(property.schema).map { (name: property.name, node: $0) }
                }
                return members.isEmpty ? nil : add(.members(members))
            case .anyOf(let alternatives):
                let parts = alternatives.map { Alternative(forms: $0.shallowForms, node: node($0)) }
                return parts.allSatisfy { $0.node == nil } ? nil : add(.alternatives(parts))
            case .type(let value):
                let id = ObjectIdentifier(value.type)
                if let known = types[id] { return known }
                // A generic type may contain itself with ever more arguments, as for ``SchemaWalk``.
                guard depth < Schema.deepest else { return nil }
                depth += 1
                defer { depth -= 1 }
                let place = add(.nothing)
                types[id] = place
                return fill(place, value.type.schema)
            case .definition(let name, let value):
                let place = add(.nothing)
                definitions[name] = place
                return fill(place, value)
            case .reference(let name): return definitions[name]
            case .any, .null, .boolean, .integer, .number, .string, .enumeration, .integerEnumeration: return nil
            }
        }

        private mutating func fill(_ place: Int, _ schema: Schema) -> Int? {
            let count = nodes.count
            guard let node = node(schema) else {
                // Without a node after it, no other schema refers to the place.
                return nodes.count == count ? nil : place
            }
            nodes[place] = .same(node)
            return place
        }

        private mutating func add(_ node: Node) -> Int {
            nodes.append(node)
            return nodes.count - 1
        }
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
        // A reference stands for an enclosing schema, which has looked at the value already. The others are no forms.
        case .reference, .type, .optional, .definition, .document, .annotated: return true
        }
    }
}

package import JSONRPC

extension ContractSchema.StringRule {
    /// A value that satisfies the format and the length.
    fileprivate var standardValue: String {
        switch format {
        case "date-time": return "1970-01-01T00:00:00Z"
        case "uuid": return "00000000-0000-0000-0000-000000000000"
        case "uri": return "about:blank"
        case "decimal": return ContractSchema.number(from: minimum, to: maximum)
        default: return String(repeating: "x", count: min(length.lowerBound, ContractSchema.longestStandardValue))
        }
    }
}

extension ContractSchema {
    /// The most characters of a text, and elements of a list, that are made up.
    fileprivate static let longestStandardValue = 1000
    /// The most values in a value that is made up.
    private static let largestStandardValue = 100_000

    /// The example of the schema, or a value of its type: zero, an empty text, an empty list, the first case.
    ///
    /// The value of a pattern, of a list of different elements, of a schema that contains itself and of one whose text,
    /// list or whole is very long may not satisfy the schema. The reader of the contract asks for an example then.
    package func standardValue(_ components: ContractComponents) -> JSONValue {
        var rest = Self.largestStandardValue
        return standardValue(components, depth: 0, &rest)
    }

    /// Returns the number of a range that is the nearest to zero, as JSON text.
    fileprivate static func number(from minimum: Double?, to maximum: Double?) -> String {
        let number = max(minimum ?? 0, min(maximum ?? 0, 0))
        return number == number.rounded() ? "\(Int128(number))" : "\(number)"
    }

    private func standardValue(_ components: ContractComponents, depth: Int, _ rest: inout Int) -> JSONValue {
        if let example { return example.json }
        guard depth < ContractNode.deepest, rest > 0 else { return .null }
        rest -= 1
        switch components.resolved(self).rule {
        case .any, .null, .reference: return .null
        case .boolean: return .bool(false)
        case .integer(let minimum, let maximum):
            let zero = Int128(0)
            return .number("\(max(minimum ?? zero, min(maximum ?? zero, zero)))")
        case .number(let minimum, let maximum):
            return .number(Self.number(from: minimum, to: maximum))
        case .string(let rule):
            let text = rule.standardValue
            rest -= text.utf8.count / 16
            return .string(text)
        case .choice(let values): return values.first?.value ?? .null
        case .array(let element, let count, _):
            guard count.lowerBound > 0 else { return .array([]) }
            let before = rest
            let value = element.standardValue(components, depth: depth + 1, &rest)
            let size = max(before - rest, 1)
            let copies = min(count.lowerBound, Self.longestStandardValue, 1 + rest / size)
            rest -= (copies - 1) * size
            return .array(Array(repeating: value, count: copies))
        case .object(let properties, _):
            return .object(
                JSONObject(
                    properties.filter(\.isRequired).map {
                        ($0.name, $0.schema.standardValue(components, depth: depth + 1, &rest))
                    }
                )
            )
        case .anyOf:
            let alternatives = components.alternatives(of: self)
            if alternatives.contains(where: { components.resolved($0).isNull }) { return .null }
            return alternatives.first?.standardValue(components, depth: depth + 1, &rest) ?? .null
        }
    }
}

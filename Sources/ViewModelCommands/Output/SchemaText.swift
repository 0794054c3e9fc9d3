import ViewModelClient
import ViewModelContract

extension ContractComponents {
    /// Returns the type of a schema in short: the name of a component, otherwise its form.
    func summary(of schema: ContractSchema) -> String { name(of: schema) ?? form(of: schema) }

    /// Returns the type of a schema: `string`, `integer 1…9`, `{to: integer, every?: integer}`, `0 | 1 | 2`,
    /// `date or null`; empty for null.
    func form(of schema: ContractSchema) -> String {
        let schema = resolved(schema)
        switch schema.rule {
        case .any, .reference: return "any"
        case .null: return ""
        case .boolean: return "boolean" + schema.limits
        case .integer: return "integer" + schema.limits
        case .number: return "number" + schema.limits
        case .string:
            return switch schema.format {
            case "date-time": "date" + schema.limits
            case "byte": "base64" + schema.limits
            case let format: (format ?? "string") + schema.limits
            }
        case .choice(let choices): return choices.map(\.text).joined(separator: " | ")
        case .array(let element, _, _):
            return "[\(summary(of: element))]" + schema.limits("Items", unit: " items")
        case .object(let properties, _):
            let texts = properties.map { property in
                "\(property.name)\(property.isRequired ? "" : "?"): \(part(property.schema))"
            }
            return texts.isEmpty ? "" : "{\(texts.joined(separator: ", "))}"
        case .anyOf(let alternatives):
            let texts = alternatives.map(part)
            return (texts.filter { $0 != "null" } + texts.filter { $0 == "null" }).joined(separator: " or ")
        }
    }

    private func part(_ schema: ContractSchema) -> String { allowsNothing(schema) ? "null" : summary(of: schema) }

    /// Returns the components that the values of a schema contain, in the order of their use, with their names.
    func namedParts(of schema: ContractSchema) -> [(name: String, schema: ContractSchema)] {
        var found: [(name: String, schema: ContractSchema)] = []
        var names: Set<String> = []
        var open = [schema][...]
        while let next = open.popFirst() {
            if let name = name(of: next) {
                guard names.insert(name).inserted else { continue }
                found.append((name, resolved(next)))
            }
            switch resolved(next).rule {
            case .array(let element, _, _): open.append(element)
            case .object(let properties, _): open += properties.map(\.schema)
            case .anyOf(let alternatives): open += alternatives
            default: break
            }
        }
        return found
    }

    /// Returns the name of the component to which a schema refers in the end; nil for a schema that is no reference.
    private func name(of schema: ContractSchema) -> String? {
        var (schema, name) = (schema, String?.none)
        while case .reference(let next) = schema.rule, let target = self[next] { (schema, name) = (target, next) }
        return name
    }
}

extension ContractSchema {
    /// The limits of a number and of a length.
    fileprivate var limits: String { limits("imum", unit: "") + limits("Length", unit: " characters") }

    /// Returns the limits of a number, of a length or of a count: ` 1…9`, ` ≥ 0`, ` ≤ 64 characters`.
    fileprivate func limits(_ keyword: String, unit: String) -> String {
        let least = node["min\(keyword)"].map { ValueText.inline($0.json) }
        let most = node["max\(keyword)"].map { ValueText.inline($0.json) }
        switch (least, most) {
        case (let least?, let most?): return " \(least)…\(most)\(unit)"
        case (let least?, nil): return " ≥ \(least)\(unit)"
        case (nil, let most?): return " ≤ \(most)\(unit)"
        case (nil, nil): return ""
        }
    }
}

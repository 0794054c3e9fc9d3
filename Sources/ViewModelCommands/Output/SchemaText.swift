import ViewModelClient

extension ParameterSchema {
    /// The type in short: the name of a named schema, otherwise its ``form``.
    var summary: String { name ?? form }

    /// The type: `string`, `integer 1…9`, `{to: integer, every?: integer}`, `0 | 1 | 2`, `date or null`; empty for null.
    var form: String {
        if let choices { return choices.joined(separator: " | ") }
        if let alternatives {
            let texts = alternatives.map { $0.isNothing ? "null" : $0.summary }
            return (texts.filter { $0 != "null" } + texts.filter { $0 == "null" }).joined(separator: " or ")
        }
        if let members { return Self.text(of: members) }
        let kinds = kinds
        if kinds == [.null] { return "" }
        if kinds.count == Kind.allCases.count { return "any" }
        if kinds == [.array], let items { return "[\(items.summary)]" + bounds("Items", unit: "items") }
        let text = Kind.allCases.reversed().filter(kinds.contains).map(word).joined(separator: " or ")
        return text + bounds("imum", unit: "") + bounds("Length", unit: "characters")
    }

    /// The named schemas that the type contains, in the order of their use.
    var namedParts: [ParameterSchema] {
        var found: [ParameterSchema] = []
        var open = [self]
        while !open.isEmpty {
            let next = open.removeFirst()
            if let name = next.name {
                if found.contains(where: { $0.name == name }) { continue }
                found.append(next)
            }
            open += (next.alternatives ?? []) + (next.members?.all.map(\.schema) ?? [])
            open += [next.items].compactMap(\.self)
        }
        return found
    }

    private static func text(of members: ParameterMembers) -> String {
        let texts = members.all.map { name, schema in
            "\(name)\(members.required.contains(name) ? "" : "?"): \(schema.isNothing ? "null" : schema.summary)"
        }
        return texts.isEmpty ? "" : "{\(texts.joined(separator: ", "))}"
    }

    private func word(_ kind: Kind) -> String {
        guard kind == .string, let format = self["format"]?.stringValue else { return kind.rawValue }
        switch format {
        case "date-time": return "date"
        case "byte": return "base64"
        default: return format
        }
    }

    /// Returns the limits of a number, of a length or of a count: ` 1…9`, ` ≥ 0`, ` ≤ 64 characters`.
    private func bounds(_ keyword: String, unit: String) -> String {
        let least = self["min\(keyword)"].map(ValueText.inline)
        let most = self["max\(keyword)"].map(ValueText.inline)
        let unit = unit.isEmpty ? "" : " \(unit)"
        switch (least, most) {
        case (let least?, let most?): return " \(least)…\(most)\(unit)"
        case (let least?, nil): return " ≥ \(least)\(unit)"
        case (nil, let most?): return " ≤ \(most)\(unit)"
        case (nil, nil): return ""
        }
    }
}

extension ParameterSchema {
    /// A short text of the schema: `string`, `integer or null`, `{account, nickname?}`, `0 | 1 | 2`; empty for null.
    var summary: String {
        if let choices { return choices.joined(separator: " | ") }
        if let properties { return Self.members(properties.keys, required: required) }
        let kinds = kinds
        if kinds == [.array], let items { return "[\(items.summary)]" }
        if kinds == [.null] { return "" }
        if kinds.count == Kind.allCases.count { return "any" }
        return Kind.allCases.reversed().filter(kinds.contains).map(\.rawValue).joined(separator: " or ")
    }

    private static func members(_ names: some Sequence<String>, required: Set<String>) -> String {
        let names = names.sorted().map { required.contains($0) ? $0 : $0 + "?" }
        return names.isEmpty ? "" : "{\(names.joined(separator: ", "))}"
    }
}

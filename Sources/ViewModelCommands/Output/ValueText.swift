import ViewModelClient

/// Texts of values for people: scalars unchanged, objects and lists as tables.
enum ValueText {
    /// The maximum length of a cell in characters.
    private static let cellWidth = 60

    /// Returns a value on one or more lines; null is an empty text.
    static func block(_ value: JSONValue) -> String {
        switch value {
        case .null: ""
        case .object(let members): object(members)
        case .array(let items): list(items)
        default: inline(value)
        }
    }

    /// Returns a value on one line: a string with blanks for control characters, any other value as JSON.
    static func inline(_ value: JSONValue) -> String {
        guard case .string(let text) = value else { return value.description }
        return plain(text)
    }

    /// Returns a text with each control character replaced by a blank.
    static func plain(_ text: String) -> String {
        String(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : Character($0) })
    }

    private static func object(_ members: JSONObject) -> String {
        guard !members.isEmpty else { return "" }
        let names = order(members.keys)
        let rows = names.filter { !isTable(members[$0]) }.map { [$0, cell(members[$0] ?? .null)] }
        var blocks = rows.isEmpty ? [] : [Table.text(rows, headers: ["name", "value"])]
        for name in names where isTable(members[name]) {
            blocks.append("\(name)\n\(list(members[name]?.arrayValue ?? []))")
        }
        return blocks.joined(separator: "\n")
    }

    private static func list(_ items: [JSONValue]) -> String {
        let objects = items.compactMap(\.objectValue)
        guard objects.count == items.count, !items.isEmpty else {
            return items.map { cell($0) + "\n" }.joined()
        }
        let names = order(Set(objects.flatMap(\.keys)))
        return Table.text(objects.map { row in names.map { row[$0].map(cell) ?? "" } }, headers: names)
    }

    private static func isTable(_ value: JSONValue?) -> Bool {
        guard case .array(let items) = value else { return false }
        return !items.isEmpty && items.allSatisfy { $0.objectValue != nil }
    }

    private static func cell(_ value: JSONValue) -> String {
        let text = inline(value)
        return text.count > cellWidth ? text.prefix(cellWidth - 1) + "…" : text
    }

    /// Sorts names alphabetically after those that identify a thing.
    private static func order(_ names: some Sequence<String>) -> [String] {
        let first = ["id", "type", "session", "name", "scene", "title"]
        return names.sorted { left, right in
            let (left, right) = (
                (first.firstIndex(of: left) ?? first.count, left), (first.firstIndex(of: right) ?? first.count, right)
            )
            return left < right
        }
    }
}

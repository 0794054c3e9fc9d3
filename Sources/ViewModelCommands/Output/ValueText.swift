import ViewModelClient

/// Texts of values for people: scalars unchanged, objects and lists as tables.
///
/// Members stand in the order of their object, which is the declared one in what the daemon sends.
enum ValueText {
    /// Returns a value on one or more lines; null is an empty text.
    ///
    /// Cells are cut to the columns of the terminal; nil for whole values.
    static func block(_ value: JSONValue, width: Int?) -> String {
        switch value {
        case .null: ""
        case .object(let members): object(members, width)
        case .array(let items): list(items, width)
        default: inline(value)
        }
    }

    /// Returns a value on one line: a string as ``PlainText``, any other value as JSON.
    static func inline(_ value: JSONValue) -> String {
        PlainText.of(value.stringValue ?? value.description)
    }

    private static func object(_ members: JSONObject, _ width: Int?) -> String {
        let rows = members.filter { ListText($0.value) == nil }.map { [PlainText.of($0.key), inline($0.value)] }
        let table = Table.text(rows, headers: ["name", "value"], width: width)
        let lists = members.compactMap { name, value in
            ListText(value).map { "\($0.title(PlainText.of(name)))\n\(list($0.rows, width))" }
        }
        return ([table] + lists).filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private static func list(_ items: [JSONValue], _ width: Int?) -> String {
        let objects = items.compactMap(\.objectValue)
        guard objects.count == items.count, !items.isEmpty else {
            return items.map { item in (width.map { DisplayWidth.cut(inline(item), to: $0) } ?? inline(item)) + "\n" }
                .joined()
        }
        var names: [String] = []
        var known: Set<ExactString> = []
        for name in objects.flatMap(\.keys) where known.insert(ExactString(name)).inserted { names.append(name) }
        let rows = objects.map { row in names.map { row[$0].map(inline) ?? "" } }
        return Table.text(rows, headers: names.map(PlainText.of), width: width)
    }
}

/// A value that is shown as a table of its own: a list of objects, or a window of a list.
private struct ListText {
    let rows: [JSONValue]
    private let window: (offset: Int, count: Int)?

    /// Creates the table of a value; nil if the value is shown in a cell.
    init?(_ value: JSONValue) {
        if let items = value.arrayValue, !items.isEmpty, items.allSatisfy({ $0.objectValue != nil }) {
            (rows, window) = (items, nil)
        } else if let members = value.objectValue, members.count == 3, let offset = members["offset"]?.intValue,
            let count = members["count"]?.intValue, let items = members["rows"]?.arrayValue
        {
            (rows, window) = (items, (offset, count))
        } else {
            return nil
        }
    }

    /// Returns the line above the table.
    func title(_ name: String) -> String {
        window.map { "\(name) (offset \($0.offset), count \($0.count))" } ?? name
    }
}

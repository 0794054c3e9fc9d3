import TextTable

/// Lays rows out in columns.
enum Table {
    /// A table with a line of headers; empty where there are no rows.
    static func text(_ rows: [[String]], headers: [String]) -> String {
        let table = TextTable<[String]> { row in
            zip(headers, row).map { Column(title: $0, value: $1) }
        }
        return table.string(for: rows, style: Style.psql) ?? ""
    }
}

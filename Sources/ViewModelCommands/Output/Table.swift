import TextTable

/// A formatter of rows in columns.
enum Table {
    /// Returns a table with a line of headers, or an empty text without rows.
    static func text(_ rows: [[String]], headers: [String]) -> String {
        let table = TextTable<[String]> { row in
            zip(headers, row).map { Column(title: $0, value: $1) }
        }
        return table.string(for: rows, style: Style.psql) ?? ""
    }
}

/// A formatter of rows in columns, which knows the width of the terminal.
struct Table {
    private static let leastColumn = 4

    private let headers: [String]
    private let rows: [[String]]
    private let widths: [Int]
    private let wraps: Bool

    /// Returns a table with a line of headers, or an empty text without rows.
    ///
    /// The cells and headers are shown as ``PlainText``. The widest columns shrink until the table fits into the width, and
    /// the last ones are left out if it still does not fit. A cell that is wider than its column then is cut and ends
    /// with `…`, or continues on the next line if `wraps` is true.
    static func text(_ rows: [[String]], headers: [String], width: Int?, wraps: Bool = false) -> String {
        rows.isEmpty || headers.isEmpty ? "" : Table(rows, headers: headers, width: width, wraps: wraps).text
    }

    private init(_ rows: [[String]], headers: [String], width: Int?, wraps: Bool) {
        var (rows, headers) = (rows.map { $0.map(PlainText.of) }, headers.map(PlainText.of))
        if let width {
            // A column has a border and two blanks beside its cells.
            let possible = max(1, (width - 1) / (3 + Self.leastColumn))
            if possible < headers.count {
                headers = headers.prefix(possible - 1) + ["…"]
                rows = rows.map { $0.prefix(possible - 1) + ["…"] }
            }
        }
        let natural = headers.indices.map { column in
            rows.reduce(DisplayWidth.of(headers[column])) { max($0, DisplayWidth.of($1[column])) }
        }
        self.headers = headers
        self.rows = rows
        self.wraps = wraps
        widths = width.map { Self.fit(natural, into: $0 - 1 - 3 * headers.count) } ?? natural
    }

    /// Returns the widths of columns that share a number of columns of the terminal; only the widest ones shrink.
    static func fit(_ natural: [Int], into available: Int) -> [Int] {
        guard natural.reduce(0, +) > available else { return natural }
        var widths = natural
        var left = available
        for (rank, column) in natural.indices.sorted(by: { natural[$0] < natural[$1] }).enumerated() {
            widths[column] = max(1, min(natural[column], left / (natural.count - rank)))
            left -= widths[column]
        }
        return widths
    }

    private var text: String {
        let line = "+" + widths.map { String(repeating: "-", count: $0 + 2) + "+" }.joined() + "\n"
        var text = line
        append(headers, wraps: false, to: &text)
        text += line
        for row in rows { append(row, wraps: wraps, to: &text) }
        return text + line
    }

    private func append(_ row: [String], wraps: Bool, to text: inout String) {
        let cells = zip(row, widths).map { cell, width in
            wraps ? TextWrap.lines(cell, columns: width) : [DisplayWidth.cut(cell, to: width)]
        }
        for line in 0..<(cells.map(\.count).max() ?? 1) {
            for (cell, width) in zip(cells, widths) {
                text += "| \(DisplayWidth.pad(line < cell.count ? cell[line] : "", to: width)) "
            }
            text += "|\n"
        }
    }
}

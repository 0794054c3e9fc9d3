import ViewModelKit
import ViewModelProtocol

/// The part of a list that a client sees through a window: the number of all rows, and the rows in the window.
struct WindowContent {
    /// The window, where it is now.
    let window: Window
    let count: Int
    private let rows: [EncodedRow]

    /// Reads the present content.
    ///
    /// Encodes only the rows that have come into the window or were replaced since the former content, that of `step`.
    init(of list: any ListSource, in window: Window, after former: WindowContent? = nil, since step: Int = 0) throws {
        self.window = window
        count = list.count
        let range = window.range(of: count)
        let origins = former == nil ? nil : list.origins(of: range, since: step)
        rows = try range.map { index in
            if let origin = origins?[index - range.lowerBound], let row = former?.row(at: origin) { return row }
            return try list.row(at: index)
        }
    }

    /// Returns the row at an index of the list, or nil for an index outside of the window.
    private func row(at index: Int) -> EncodedRow? {
        rows.indices.contains(index - window.offset) ? rows[index - window.offset] : nil
    }

    /// The least length of ``text``.
    var minimumLength: Int {
        rows.reduce("{\"offset\":0,\"count\":0,\"rows\":[]}".utf8.count) { $0 + $1.text.count }
    }

    /// The JSON text: the window's offset, the count of all rows, and the rows in the window.
    var text: [UInt8] {
        var writer = JSONWriter()
        writer.raw("{\"offset\":")
        writer.integer(window.offset)
        writer.raw(",\"count\":")
        writer.integer(count)
        writer.raw(",\"rows\":[")
        for (index, row) in rows.enumerated() {
            if index > 0 { writer.byte(UInt8(ascii: ",")) }
            writer.raw(row.text)
        }
        writer.raw("]}")
        return writer.bytes
    }

    /// Whether a client sees the same rows and the same count in both.
    func isSame(as other: WindowContent) -> Bool {
        count == other.count && window.offset == other.window.offset
            && rows.elementsEqual(other.rows) { $0.text == $1.text }
    }

    /// Returns the index of the first row of the window in the list, or of the next one that is left; nil if none is.
    func firstIndex(in list: any ListSource) -> Int? { list.index(ofFirst: rows) }

    /// Returns the edits from the rows of `old` to these rows; nil if ids are not unique.
    func edits(from old: WindowContent) -> [ListEdit<[UInt8]>]? {
        EncodedRow.edits(from: old.rows, to: rows)?.map { $0.map { row, _ in row.text } }
    }
}

extension Window {
    /// The indices of the window's rows in a list that is long enough.
    var range: Range<Int> { offset..<(offset + min(limit, Int.max - offset)) }

    /// Returns the indices of the window's rows in a list with `count` rows.
    fileprivate func range(of count: Int) -> Range<Int> {
        let start = min(offset, count)
        return start..<(start + min(limit, count - start))
    }
}

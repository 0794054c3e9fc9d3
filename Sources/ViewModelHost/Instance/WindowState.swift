import ViewModelKit
import ViewModelProtocol

/// The part of a list that a client sees, as it saw it last.
struct WindowState {
    let window: Window
    private(set) var count = 0
    private(set) var rows: [EncodedRow] = []

    /// Whether it is not known what the client saw last.
    private(set) var isUnknown = true

    /// The window of a client of which nothing else is known.
    init(_ window: Window) {
        self.window = window
    }

    /// Looks at the list, and takes note of what there is to see.
    static func read(_ list: AnyListOutput, through window: Window) throws -> WindowState {
        var state = WindowState(window)
        state.isUnknown = false
        state.count = list.count
        let start = min(window.offset, state.count)
        let end = start + min(window.limit, state.count - start)
        state.rows = try (start..<end).map { try list.encodedRow(at: $0) }
        return state
    }

    /// What is to be seen after rows were replaced, and nothing else was done; only those are looked at.
    func replacing(_ indices: [Int], in list: AnyListOutput) throws -> WindowState {
        var state = self
        for index in Set(indices) {
            let place = index - window.offset
            if state.rows.indices.contains(place) { state.rows[place] = try list.encodedRow(at: index) }
        }
        return state
    }

    /// Writes the picture of the windowed list: its offset, the count of all rows, the rows in it.
    func write(to writer: inout JSONWriter) {
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
    }

    /// The operations that turn the picture of `old` into this one's; nil where that is no difference.
    func operations(from old: WindowState, output: String) -> ListOperations? {
        guard !old.isUnknown else { return nil }
        let edits = ListDifference.edits(from: old.rows, to: rows, id: { $0.id }, isEqual: ==)
        guard let edits else { return nil }
        var operations = ListOperations(path: "/\(output)/rows")
        for edit in edits {
            operations.append(edit)
        }
        if count != old.count {
            operations.replace(path: "/\(output)/count", with: count)
        }
        return operations
    }
}

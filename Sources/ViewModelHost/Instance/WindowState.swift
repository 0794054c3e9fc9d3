import ViewModelKit
import ViewModelProtocol

/// The part of a list that a client has last received through a window.
struct WindowState {
    let window: Window
    private(set) var count = 0
    private(set) var rows: [EncodedRow] = []

    /// Whether the rows that the client has are unknown.
    private(set) var isUnknown = true

    /// Creates the state of a client whose rows are unknown.
    init(_ window: Window) {
        self.window = window
    }

    /// Returns the current rows of a list in a window.
    static func read(_ list: AnyListOutput, through window: Window) throws -> WindowState {
        var state = WindowState(window)
        state.isUnknown = false
        state.count = list.count
        let start = min(window.offset, state.count)
        let end = start + min(window.limit, state.count - start)
        state.rows = try (start..<end).map { try list.encodedRow(at: $0) }
        return state
    }

    /// Returns the state after replacements of rows and no other edit.
    ///
    /// Only the replaced rows are encoded.
    func replacing(_ indices: [Int], in list: AnyListOutput) throws -> WindowState {
        var state = self
        for index in Set(indices) {
            let place = index - window.offset
            if state.rows.indices.contains(place) { state.rows[place] = try list.encodedRow(at: index) }
        }
        return state
    }

    /// Writes the picture of the windowed list: its offset, the count of all rows, and the rows in the window.
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

    /// Returns the operations from the picture of `old` to this one; nil if a patch is not possible.
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

/// A list that clients see.
///
/// They get its changes, or the rows of a window.
///
/// Rows are objects with a unique `id`, which is also a member of the object on the wire. Isolation: confined to its
/// session.
public final class ListOutput<Row: Codable & Equatable & Identifiable>: AnyListOutput where Row.ID: Codable {
    private let cell: ListCell<Row>
    /// The signal from which the list is derived, or nil.
    ///
    /// If it is set, `cell` is the private copy of this output.
    private let source: Signal<[Row]>?

    /// Creates the output of a list that records its own edits.
    ///
    /// The cost of an edit does not depend on the list's length.
    public init(_ cell: ListCell<Row>) {
        self.cell = cell
        self.source = nil
        super.init(graph: cell.graph)
        cell.subscribe(self)
    }

    /// Creates the output of a derived list.
    ///
    /// Each change is compared with the former list, row by row.
    public init(_ signal: Signal<[Row]>) {
        if let cell = signal as? ListCell<Row> {
            self.cell = cell
            self.source = nil
        } else {
            self.cell = signal.graph.wiring { ListCell(signal.untracked) }
            self.source = signal
        }
        super.init(graph: signal.graph)
        signal.subscribe(self)
    }

    /// Creates the output of rows that never change.
    public convenience init(_ constant: [Row]) {
        self.init(ListCell(constant))
    }

    deinit {
        (source ?? cell).unsubscribe(self)
    }

    /// The current rows, including writes of the running step.
    public var value: [Row] { (source ?? cell).value }

    private var seenVersion = 0

    override func commitChange() -> Bool {
        _ = super.commitChange()
        if let source {
            cell.become(source.untracked)
        }
        guard cell.version != seenVersion else { return false }
        seenVersion = cell.version
        return cell.isChanged(since: graph.sequence)
    }

    override package func attach() {
        if let source {
            cell.become(source.untracked)
        }
        seenVersion = cell.version
    }

    override package var count: Int { cell.count }

    override package func encoded() throws -> [UInt8] {
        try graph.host.encode(cell.value)
    }

    override package func encodedRow(at index: Int) throws -> EncodedRow {
        try encode(cell.row(at: index))
    }

    override package func edits(since step: Int) throws -> [ListEdit<EncodedRow>]? {
        try cell.edits(since: step)?.map(encode)
    }

    override package func replacedRows(since step: Int) -> [Int]? {
        guard let edits = cell.edits(since: step) else { return nil }
        var indices: [Int] = []
        for edit in edits {
            guard case .replace(_, let index) = edit else { return nil }
            indices.append(index)
        }
        return indices
    }

    override package func snapshot(asOf step: Int) -> Any? { cell.rows(asOf: step) }

    override package func edits(sinceSnapshot snapshot: Any) throws -> [ListEdit<EncodedRow>]? {
        guard let former = snapshot as? [Row] else { return nil }
        return try ListDifference.edits(from: former, to: cell.untracked, id: { $0.id }, isEqual: ==)?.map(encode)
    }

    private func encode(_ edit: ListEdit<Row>) throws -> ListEdit<EncodedRow> {
        switch edit {
        case .insert(let row, let index): .insert(try encode(row), at: index)
        case .remove(let index): .remove(at: index)
        case .replace(let row, let index): .replace(try encode(row), at: index)
        case .move(let from, let to): .move(from: from, to: to)
        }
    }

    private func encode(_ row: Row) throws -> EncodedRow {
        EncodedRow(id: try graph.host.encode(row.id), text: try graph.host.encode(row))
    }
}

/// A list output of any type, as the host sees it.
public class AnyListOutput: AnyOutput {
    /// The number of rows.
    package var count: Int { 0 }

    /// Returns the row at `index` as JSON text.
    package func encodedRow(at index: Int) throws -> EncodedRow {
        fatalError("AnyListOutput is abstract")
    }

    /// Returns the edits after `step`, or nil if they are not known any more.
    package func edits(since step: Int) throws -> [ListEdit<EncodedRow>]? { nil }

    /// Returns the indices of the rows that were replaced after `step`.
    ///
    /// Returns nil if the list had any other edit, or if the edits are not known any more.
    package func replacedRows(since step: Int) -> [Int]? { nil }

    /// Returns the rows after `step` for a later comparison, or nil if they are not known any more or too many.
    package func snapshot(asOf step: Int) -> Any? { nil }

    /// Returns the edits that lead from a snapshot to the present list, or nil if ids are not unique.
    package func edits(sinceSnapshot snapshot: Any) throws -> [ListEdit<EncodedRow>]? { nil }
}

/// The JSON texts of a row and of its id.
package struct EncodedRow: Equatable, Sendable {
    package var id: [UInt8]
    package var text: [UInt8]
}

/// A list that clients see: they get what changed in it, or the rows of a window.
///
/// Rows are objects with a unique `id`, which is also the name of its member on the wire. Isolation: confined to its
/// session.
public final class ListOutput<Row: Codable & Equatable & Identifiable>: AnyListOutput where Row.ID: Codable {
    private let cell: ListCell<Row>
    /// Where the list is derived: what it is derived from; the cell is then the output's own copy.
    private let source: Signal<[Row]>?

    /// Shows a list that records its own edits: cost does not grow with its length.
    public init(_ cell: ListCell<Row>) {
        self.cell = cell
        self.source = nil
        super.init(graph: cell.graph)
        cell.subscribe(self)
    }

    /// Shows a list derived from other values; each change is compared with the list before, row by row.
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

    /// Shows rows that never change.
    public convenience init(_ constant: [Row]) {
        self.init(ListCell(constant))
    }

    deinit {
        (source ?? cell).unsubscribe(self)
    }

    /// The rows at this moment, writes of the running step included.
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

    /// The row at `index` as JSON text.
    package func encodedRow(at index: Int) throws -> EncodedRow {
        fatalError("AnyListOutput is abstract")
    }

    /// The edits after `step`, or nil when they are not known any more.
    package func edits(since step: Int) throws -> [ListEdit<EncodedRow>]? { nil }

    /// Where rows were replaced after `step`; nil where anything else was done to the list, or where that is not known any
    /// more.
    package func replacedRows(since step: Int) -> [Int]? { nil }

    /// The rows as they were after `step`, to be compared with later; nil where they are not known or too many.
    package func snapshot(asOf step: Int) -> Any? { nil }

    /// The edits that lead from a snapshot to the present list; nil where none can be told.
    package func edits(sinceSnapshot snapshot: Any) throws -> [ListEdit<EncodedRow>]? { nil }
}

/// A row as JSON text, and its id.
package struct EncodedRow: Equatable, Sendable {
    package var id: [UInt8]
    package var text: [UInt8]
}

/// A list that clients see.
///
/// They get its changes, or the rows of a window.
///
/// Rows are objects with a unique `id`, which is also a member of the object on the wire. Isolation: confined to its
/// session.
public final class ListOutput<Row: Schemable & Equatable & Identifiable>: AnyListOutput where Row.ID: Codable {
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
            cell.replaceRowsUnchecked(with: source.untracked)
        }
        guard cell.version != seenVersion else { return false }
        seenVersion = cell.version
        return cell.isChanged(since: graph.sequence)
    }

    override package func commitInitialValue() {
        if let source {
            cell.replaceRowsUnchecked(with: source.untracked)
        }
        seenVersion = cell.version
    }

    override package var count: Int { cell.count }

    override package func encoded() throws -> [UInt8] {
        try cell.text { try graph.host.encode($0) }
    }

    override package func encodedRow(at index: Int) throws -> EncodedRow {
        EncodedRow(id: cell.row(at: index).id, text: try cell.text(ofRowAt: index, encode: encode))
    }

    override package func edits(since step: Int) throws -> [ListEdit<[UInt8]>]? {
        try cell.edits(since: step, encode: encode)
    }

    override package func origins(of range: Range<Int>, since step: Int) -> [Int?]? {
        guard let edits = cell.edits(since: step), edits.count <= Self.followedEdits else { return nil }
        let latestFirst = edits.reversed().map { $0.map { _, _ in } }
        return range.map { index in
            var origin = index
            for edit in latestFirst {
                guard let earlier = edit.origin(of: origin) else { return nil }
                origin = earlier
            }
            return origin
        }
    }

    /// The largest number of edits through which rows are followed.
    ///
    /// Encoding the rows again costs less than following them through more.
    private static var followedEdits: Int { 32 }

    override package func snapshot(asOf step: Int) -> ListSnapshot? {
        cell.rows(asOf: step).map { rows in
            ListSnapshot { [self] in try cell.edits(from: rows, encode: encode) }
        }
    }

    private func encode(_ row: Row) throws -> [UInt8] {
        try graph.host.encode(row)
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

    /// Returns the edits after `step` with the rows' JSON texts, or nil if they are not known any more.
    package func edits(since step: Int) throws -> [ListEdit<[UInt8]>]? { nil }

    /// Returns the indices after `step` of the rows that are now in `range`.
    ///
    /// The index of a row that was inserted or replaced since is nil.
    ///
    /// - Parameters:
    ///   - range: the present indices.
    ///   - step: the earlier step.
    /// - Returns: the earlier indices, or nil if the edits are too many or not known any more.
    package func origins(of range: Range<Int>, since step: Int) -> [Int?]? { nil }

    /// Returns the rows after `step` for a later comparison, or nil if they are not known any more or too many.
    package func snapshot(asOf step: Int) -> ListSnapshot? { nil }
}

/// The rows of a list after an earlier step.
package struct ListSnapshot {
    /// Returns the edits that lead from the snapshot to the present list, or nil if ids are not unique.
    package let edits: () throws -> [ListEdit<[UInt8]>]?
}

/// The id of a row and its JSON text.
package struct EncodedRow {
    fileprivate let id: AnyHashable
    package let text: [UInt8]

    /// Returns the edits that lead from `old` to `new`, or nil if ids are not unique.
    ///
    /// Rows with equal texts are equal, because the id is a member of the row's object.
    package static func edits(from old: [Self], to new: [Self]) -> [ListEdit<Self>]? {
        ListDifference.edits(from: old, to: new, id: { $0.id }, isEqual: { $0.text == $1.text })
    }
}

/// The rows of a ``ListOutput``, of any type.
///
/// Isolation: confined to its session.
class AnyShownList {
    /// The node that marks the output.
    let source: Node
    // Flags are declared last here and first in the subclass, so that they share a word.
    /// Whether the rows come from another signal than a ``ListCell``, and are compared with a private copy.
    let isDerived: Bool

    init(source: Node, isDerived: Bool) {
        self.source = source
        self.isDerived = isDerived
    }

    /// Whether a source of a derived list has changed since the rows were computed last.
    ///
    /// Nothing is computed for the answer except derived values between the list and its sources.
    var isOutdated: Bool { true }

    /// Updates the private copy of a derived list.
    ///
    /// - Returns: whether the rows differ from those after the last commit.
    func commit() -> Bool { false }

    /// Updates the private copy of a list that was outdated because nobody had bound it.
    ///
    /// - Parameter step: the step from which on the copy was outdated.
    func catchUp(from step: Int) {}

    /// The shown rows as an array, including writes of the running step.
    var values: Any { [] }

    /// The number of rows.
    var count: Int { 0 }

    /// Returns the rows as JSON text.
    func text() throws -> [UInt8] { [] }

    /// Returns a row's id and JSON text.
    func row(at index: Int) throws -> EncodedRow { fatalError("AnyShownList is abstract") }

    /// Returns the edits after `step` with the rows' JSON texts, or nil if they are not known any more.
    func edits(since step: Int) throws -> [ListEdit<[UInt8]>]? { nil }

    /// Returns the edits after `step` without rows, or nil if they are not known or cost more than they save.
    func moves(since step: Int) -> [ListEdit<Void>]? { nil }

    /// Returns the rows after `step` for a later comparison, or nil if they are not known any more or too many.
    func snapshot(asOf step: Int) -> ListSnapshot? { nil }
}

/// The rows of a ``ListOutput``, each shown as the JSON text of another value, or of itself.
///
/// Only the rows themselves are compared. Texts are made for rows that a client gets.
class ShownList<Row: Identifiable & Equatable>: AnyShownList {
    /// Whether the private copy has had its first rows.
    private var isCopied = false
    /// The list, or the private copy of a derived one.
    fileprivate final let cell: ListCell<Row>
    /// The signal from which the list is derived, or nil.
    private let derived: Signal<[Row]>?
    private var seenVersion = 0
    /// The version of `derived` from which the copy was made.
    private var copiedVersion = 0

    /// Creates the rows of an output.
    ///
    /// - Parameter signal: the list. A ``ListCell`` records its own edits; any other signal is compared with a copy.
    init(_ signal: Signal<[Row]>) {
        let recorded = signal as? ListCell<Row>
        cell = recorded ?? signal.graph.wiring { ListCell() }
        derived = recorded == nil ? signal : nil
        seenVersion = cell.version
        super.init(source: signal, isDerived: recorded == nil)
    }

    /// The rows before they are shown, including writes of the running step.
    fileprivate final var current: [Row] { (derived ?? cell).value }

    /// Returns the JSON text of a row.
    fileprivate func encode(_ row: Row) throws -> [UInt8] { fatalError("ShownList is abstract") }

    override final var isOutdated: Bool { derived?.isOutdated(since: copiedVersion) ?? false }

    override final func commit() -> Bool {
        if let derived { cell.replaceRowsUnchecked(with: rows(of: derived)) }
        guard cell.version != seenVersion else { return false }
        seenVersion = cell.version
        return cell.isChanged(since: cell.graph.sequence)
    }

    override final func catchUp(from step: Int) {
        guard let derived else { return }
        let rows = rows(of: derived)
        if isCopied {
            cell.replaceRowsUnchecked(with: rows, at: step)
        } else {
            isCopied = true
            cell.setInitialRows(rows)
        }
        seenVersion = cell.version
    }

    private func rows(of signal: Signal<[Row]>) -> [Row] {
        defer { copiedVersion = signal.version }
        return signal.untracked
    }

    override final var count: Int { cell.count }

    override func text() throws -> [UInt8] {
        try cell.text(encodingRows: { try encode($0) })
    }

    override final func row(at index: Int) throws -> EncodedRow {
        EncodedRow(id: ExactID(cell.row(at: index).id), text: try cell.text(ofRowAt: index, encode: { try encode($0) }))
    }

    override final func edits(since step: Int) throws -> [ListEdit<[UInt8]>]? {
        try cell.edits(since: step, encode: { try encode($0) })
    }

    override final func moves(since step: Int) -> [ListEdit<Void>]? {
        guard !cell.isReplaced, let edits = cell.edits(since: step), edits.count <= Self.followedEdits else {
            return nil
        }
        return edits.map { $0.map { _, _ in } }
    }

    /// The largest number of edits through which rows are followed.
    ///
    /// Encoding the rows again costs less than following them through more.
    private static var followedEdits: Int { 32 }

    override final func snapshot(asOf step: Int) -> ListSnapshot? {
        cell.rows(asOf: step).map { rows in
            ListSnapshot { [self] in try cell.edits(from: rows, encode: { try encode($0) }) }
        }
    }
}

/// The rows of a ``ListOutput``, which are shown as they are.
final class ShownRows<Row: Identifiable & Equatable & Encodable>: ShownList<Row> {
    override fileprivate func encode(_ row: Row) throws -> [UInt8] { try cell.graph.host.encode(row) }

    override var values: Any { current }

    override func text() throws -> [UInt8] { try cell.text(encode: { try cell.graph.host.encode($0) }) }
}

/// The rows of a ``ListOutput``, each shown as another value.
final class MappedRows<Source: Identifiable & Equatable, Row: Encodable>: ShownList<Source> {
    private let row: (Source) -> Row

    init(_ signal: Signal<[Source]>, row: @escaping (Source) -> Row) {
        self.row = row
        super.init(signal)
    }

    override var values: Any { current.map(row) }

    override fileprivate func encode(_ source: Source) throws -> [UInt8] { try cell.graph.host.encode(row(source)) }
}

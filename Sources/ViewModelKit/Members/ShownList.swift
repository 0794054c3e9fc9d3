/// The rows of a ``ListOutput``, of any type.
///
/// Isolation: confined to its session.
class AnyShownList {
    /// Whether the rows come from another signal than a ``ListCell``, and are compared with a private copy.
    let isDerived: Bool
    /// The node that marks the output.
    let source: Node

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
final class ShownList<Row: Identifiable & Equatable>: AnyShownList {
    /// The list, or the private copy of a derived one.
    private let cell: ListCell<Row>
    /// The signal from which the list is derived, or nil.
    private let derived: Signal<[Row]>?
    private let encodeRow: (Row) throws -> [UInt8]
    /// Encodes all rows at once; nil if the text of the list is made of the texts of its rows.
    private let encodeRows: (([Row]) throws -> [UInt8])?
    private var seenVersion = 0
    /// The version of `derived` from which the copy was made.
    private var copiedVersion = 0
    /// Whether the private copy has had its first rows.
    private var isCopied = false

    /// Creates the rows of an output.
    ///
    /// - Parameters:
    ///   - signal: the list. A ``ListCell`` records its own edits; any other signal is compared with a copy.
    ///   - encodeRow: returns the JSON text of a row.
    ///   - encodeRows: returns the JSON text of all rows, or nil to join the texts of the rows.
    init(
        _ signal: Signal<[Row]>,
        encodeRow: @escaping (Row) throws -> [UInt8],
        encodeRows: (([Row]) throws -> [UInt8])? = nil
    ) {
        let recorded = signal as? ListCell<Row>
        cell = recorded ?? signal.graph.wiring { ListCell() }
        derived = recorded == nil ? signal : nil
        seenVersion = cell.version
        self.encodeRow = encodeRow
        self.encodeRows = encodeRows
        super.init(source: signal, isDerived: recorded == nil)
    }

    override var isOutdated: Bool { derived?.isOutdated(since: copiedVersion) ?? false }

    override func commit() -> Bool {
        if let derived { cell.replaceRowsUnchecked(with: rows(of: derived)) }
        guard cell.version != seenVersion else { return false }
        seenVersion = cell.version
        return cell.isChanged(since: cell.graph.sequence)
    }

    override func catchUp(from step: Int) {
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

    override var count: Int { cell.count }

    override func text() throws -> [UInt8] {
        try encodeRows.map { try cell.text(encode: $0) } ?? cell.text(encodingRows: encodeRow)
    }

    override func row(at index: Int) throws -> EncodedRow {
        EncodedRow(id: cell.row(at: index).id, text: try cell.text(ofRowAt: index, encode: encodeRow))
    }

    override func edits(since step: Int) throws -> [ListEdit<[UInt8]>]? {
        try cell.edits(since: step, encode: encodeRow)
    }

    override func moves(since step: Int) -> [ListEdit<Void>]? {
        guard !cell.isReplaced, let edits = cell.edits(since: step), edits.count <= Self.followedEdits else {
            return nil
        }
        return edits.map { $0.map { _, _ in } }
    }

    /// The largest number of edits through which rows are followed.
    ///
    /// Encoding the rows again costs less than following them through more.
    private static var followedEdits: Int { 32 }

    override func snapshot(asOf step: Int) -> ListSnapshot? {
        cell.rows(asOf: step).map { rows in
            ListSnapshot { [cell, encodeRow] in try cell.edits(from: rows, encode: encodeRow) }
        }
    }
}

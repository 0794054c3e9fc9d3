/// A list that clients see.
///
/// They get its changes, or the rows of a window.
///
/// Rows are objects with a unique `id`, which is also a member of the object on the wire. Isolation: confined to its
/// session.
public final class ListOutput<Row: Schemable & Equatable & Identifiable>: AnyListOutput where Row.ID: Codable {
    /// Creates the output of a list that records its own edits.
    ///
    /// The cost of an edit does not depend on the list's length.
    public convenience init(_ cell: ListCell<Row>) {
        self.init(cell as Signal<[Row]>)
    }

    /// Creates the output of a derived list.
    ///
    /// Each change is compared with the former list, row by row. While no client has bound the output, the list is
    /// neither computed nor compared.
    public convenience init(_ signal: Signal<[Row]>) {
        self.init(shown: ShownRows(signal))
    }

    /// Creates the output of a list whose rows are shown as other values.
    ///
    /// The source rows are compared. Shown rows are made only for clients: those in a window, those of a difference that
    /// is sent, or all rows for a client that has bound the whole list. In one step each is made at most once.
    ///
    /// - Parameters:
    ///   - signal: the list. While no client has bound the output, a derived one is neither computed nor compared.
    ///   - row: returns the shown row, which has the id of the source row and depends on nothing else. It runs on the
    ///     session.
    public convenience init<Source: Identifiable & Equatable>(
        _ signal: Signal<[Source]>,
        row: @escaping (Source) -> Row
    ) where Source.ID == Row.ID {
        self.init(shown: MappedRows(signal, row: row))
    }

    /// Creates the output of a list that the closure derives.
    ///
    /// - Parameter compute: returns the rows. See ``Derived``.
    public convenience init(_ compute: @escaping () -> [Row]) {
        // The output compares the rows itself.
        self.init(Derived(on: .current, isEqual: nil, compute))
    }

    /// Creates the output of a list that the closure derives, and whose rows are shown as other values.
    ///
    /// - Parameters:
    ///   - row: returns the shown row, which has the id of the source row and depends on nothing else.
    ///   - compute: returns the source rows. See ``Derived``.
    public convenience init<Source: Identifiable & Equatable>(
        row: @escaping (Source) -> Row,
        _ compute: @escaping () -> [Source]
    ) where Source.ID == Row.ID {
        self.init(Derived(on: .current, isEqual: nil, compute), row: row)
    }

    /// Creates the output of rows that never change.
    public convenience init(_ constant: [Row]) {
        self.init(ListCell(constant))
    }

    /// The current rows, including writes of the running step.
    public var value: [Row] { shown.values as? [Row] ?? [] }
}

/// A list output of any type, as the host sees it.
public class AnyListOutput: AnyOutput {
    /// Whether the rows of a derived list are not up to date, because nobody had bound the output when a source changed.
    @exclusivity(unchecked) private var isBehind: Bool
    /// The number of bindings that contain the output, in 32 bits, so that it shares a word with the flag.
    @exclusivity(unchecked) private var bindingCount: Int32 = 0
    fileprivate let shown: AnyShownList

    init(shown: AnyShownList) {
        self.shown = shown
        isBehind = shown.isDerived
        super.init(graph: shown.source.graph)
        shown.source.subscribe(self)
    }

    deinit {
        shown.source.unsubscribe(self)
    }

    /// Commits the rows.
    ///
    /// A derived list that nobody has bound counts as changed once when a source changes, and is not computed until
    /// somebody needs it.
    override final func commitChange() -> Bool {
        _ = super.commitChange()
        guard shown.isDerived, bindingCount == 0 else { return shown.commit() }
        guard !isBehind, shown.isOutdated else { return false }
        isBehind = true
        return true
    }

    override package final func bindingBegan() {
        bindingCount += 1
        catchUp()
    }

    override package final func bindingEnded() {
        bindingCount -= 1
    }

    /// Updates the rows if a change was skipped.
    private func catchUp() {
        guard isBehind else { return }
        isBehind = false
        shown.catchUp(from: changedAt)
    }

    /// The number of rows.
    package final var count: Int {
        catchUp()
        return shown.count
    }

    override package final func encoded() throws -> [UInt8] {
        catchUp()
        return try shown.text()
    }

    /// Returns the row at `index` as JSON text.
    package final func encodedRow(at index: Int) throws -> EncodedRow {
        catchUp()
        return try shown.row(at: index)
    }

    /// Returns the edits after `step` with the rows' JSON texts, or nil if they are not known any more.
    package final func edits(since step: Int) throws -> [ListEdit<[UInt8]>]? {
        catchUp()
        return try shown.edits(since: step)
    }

    /// Returns the indices after `step` of the rows that are now in `range`.
    ///
    /// The index of a row that was inserted or replaced since is nil.
    ///
    /// - Parameters:
    ///   - range: the present indices.
    ///   - step: the earlier step.
    /// - Returns: the earlier indices, or nil if the edits are too many or not known any more.
    package final func origins(of range: Range<Int>, since step: Int) -> [Int?]? {
        catchUp()
        guard let edits = shown.moves(since: step) else { return nil }
        return range.map { index in
            var origin = index
            for edit in edits.reversed() {
                guard let earlier = edit.origin(of: origin) else { return nil }
                origin = earlier
            }
            return origin
        }
    }

    /// Returns the rows after `step` for a later comparison, or nil if they are not known any more or too many.
    package final func snapshot(asOf step: Int) -> ListSnapshot? {
        catchUp()
        return shown.snapshot(asOf: step)
    }
}

/// The rows of a list after an earlier step.
package struct ListSnapshot {
    /// Returns the edits that lead from the snapshot to the present list, or nil if ids are not unique.
    package let edits: () throws -> [ListEdit<[UInt8]>]?
}

/// The id of a row and its JSON text.
package struct EncodedRow {
    private let id: AnyHashable
    package let text: [UInt8]

    init(id: AnyHashable, text: [UInt8]) {
        self.id = id
        self.text = text
    }

    /// Returns the edits that lead from `old` to `new`, or nil if ids are not unique.
    ///
    /// Rows with equal texts are equal, because the id is a member of the row's object.
    package static func edits(from old: [Self], to new: [Self]) -> [ListEdit<Self>]? {
        ListDifference.edits(from: old, to: new, id: { $0.id }, isEqual: { $0.text == $1.text })
    }
}

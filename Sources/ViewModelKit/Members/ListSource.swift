/// A list as clients see it: its rows as JSON text, and its edits since a step.
///
/// Isolation: confined to its session.
package protocol ListSource<Row>: AnyOutput {
    associatedtype Row

    /// The shown rows, including writes of the running step.
    var rows: [Row] { get }

    /// Records the rows that a binding shows, or that it shows none any more, as a part of the running step.
    func setWindow(_ range: Range<Int>?, of holder: BoundWindows.Holder)

    /// The number of rows.
    var count: Int { get }

    /// Returns the row at `index` as JSON text.
    func row(at index: Int) throws -> EncodedRow

    /// Returns the edits after `step` with the rows' JSON texts, or nil if they are not known any more.
    func edits(since step: Int) throws -> [ListEdit<[UInt8]>]?

    /// Returns the indices after `step` of the rows that are now in `range`.
    ///
    /// The index of a row that was inserted or replaced since is nil.
    func origins(of range: Range<Int>, since step: Int) -> [Int?]?

    /// Returns where rows came and went after `step`, or nil if the edits are not known any more.
    func splices(since step: Int) -> ListSplices?

    /// Returns the index of the first of these rows that the list still has, or nil.
    func index(ofFirst rows: [EncodedRow]) -> Int?

    /// Returns the rows after `step` for a later comparison, or nil if they are not known any more or too many.
    func snapshot(asOf step: Int) -> ListSnapshot?
}

/// The rows of a list after an earlier step: returns the edits that lead from them to the present list, or nil if ids are
/// not unique.
package typealias ListSnapshot = () throws -> [ListEdit<[UInt8]>]?

/// The id of a row and its JSON text.
///
/// Rows with equal texts are equal, because the id is a member of the row's object.
package struct EncodedRow {
    let id: AnyHashable
    package let text: [UInt8]

    /// Returns the edits that lead from `old` to `new`, or nil if ids are not unique.
    ///
    /// The optimiser specialises the comparison here, and would not in another module.
    package static func edits(from old: [Self], to new: [Self]) -> [ListEdit<Self>]? {
        ListDifference.edits(from: old, to: new, id: { $0.id }, isEqual: { $0.text == $1.text })
    }
}

extension ListSource {
    /// The name of the type in an author's code.
    package var typeName: String { "ListOutput<\(Row.self)>" }
}

/// Two rows of a list with one id.
private struct RepeatedID: Error, CustomStringConvertible {
    let id: String
    var description: String { "two rows have the id \(id)" }
}

/// The output of a signal's rows with the function that shows a row.
///
/// Source rows are compared and followed. The shown ones are made only for the JSON texts that a client gets.
///
/// A ``ListCell`` records its edits. The rows of another signal are compared with a private copy. While no client has
/// bound the list, they are neither computed nor compared.
final class ShownList<Source: Identifiable & Equatable, Row: Encodable>: AnyOutput, ListSource {
    /// The state of the private copy.
    private enum Copy {
        /// The copy was never made.
        case none
        /// A source of the signal changed in this step, while no client had bound the list.
        case outdated(since: Int)
        /// The copy has the rows of a version of the signal.
        case made(of: Int)
    }

    /// The list, or the private copy of the derived one.
    private let cell: ListCell<Source>
    /// The signal if it is not a ``ListCell``.
    private let derived: Signal<[Source]>?
    private var copy = Copy.none
    private var bindingCount = 0
    /// Whether the log has two rows of one id.
    private var hasRepeatedID = false
    /// The version of the cell whose ids were compared last.
    private var checkedVersion = 0
    /// Returns the shown row.
    ///
    /// Nil if rows are shown as they are. `Source` and `Row` are one type then.
    private let show: ((Source) -> Row)?

    init(_ signal: Signal<[Source]>, row show: ((Source) -> Row)?) {
        let recorded = signal as? ListCell<Source>
        cell = recorded ?? signal.graph.wiring { ListCell() }
        derived = recorded == nil ? signal : nil
        self.show = show
        super.init(graph: signal.graph)
        signal.subscribe(self)
    }

    deinit {
        signal.unsubscribe(self)
    }

    override package var list: (any ListSource)? { self }

    /// The signal that has the source rows.
    private var signal: Signal<[Source]> { derived ?? cell }

    /// The cell with the present rows.
    private var current: ListCell<Source> {
        if let derived { updateCopy(of: derived) }
        return cell
    }

    // MARK: Changes

    override func commitChange() -> Bool {
        guard let derived else {
            checkEdits()
            return cell.isChanged(since: cell.graph.sequence)
        }
        if bindingCount > 0 {
            let version = cell.version
            cell.replaceRowsUnchecked(with: read(derived))
            checkEdits()
            return cell.version != version && cell.isChanged(since: cell.graph.sequence)
        }
        // A list that no client has bound counts as changed once when a source changes.
        guard case .made(let version) = copy, derived.isOutdated(since: version) else { return false }
        copy = .outdated(since: cell.graph.pendingSequence)
        return true
    }

    override package func countBindings(_ change: Int) {
        bindingCount += change
        if change > 0, let derived { updateCopy(of: derived) }
    }

    func setWindow(_ range: Range<Int>?, of holder: BoundWindows.Holder) {
        if derived == nil { cell.setWindow(range, for: .init(holder: holder, output: ObjectIdentifier(self))) }
    }

    /// Updates a copy that was not updated while no client had bound the list.
    private func updateCopy(of derived: Signal<[Source]>) {
        switch copy {
        case .made: return
        case .outdated(let step): cell.replaceRowsUnchecked(with: read(derived), at: step)
        case .none: cell.setInitialRows(read(derived))
        }
    }

    private func read(_ derived: Signal<[Source]>) -> [Source] {
        let rows = derived.untracked
        copy = .made(of: derived.version)
        return rows
    }

    // MARK: Rows

    var count: Int { current.count }

    var rows: [Row] {
        guard let show else { return unsafeBitCast(signal.value, to: [Row].self) }
        return signal.value.map(show)
    }

    func row(at index: Int) throws -> EncodedRow {
        let list = current
        return EncodedRow(id: ExactID(id: list.rows[index].id), text: try text(ofRowAt: index, in: list))
    }

    /// Returns the JSON text of the list, which is encoded at most once in a step.
    ///
    /// If rows are shown by a function, the text is made of the rows' texts, so that each row is made at most once.
    override package func encoded() throws -> [UInt8] {
        let list = current
        let results = list.stepResults
        let known = results?[form]
        if let text = known?.list { return text }
        checkIDs(of: list.rows)
        guard show != nil else {
            let text = try list.graph.encode(unsafeBitCast(list.rows, to: [Row].self))
            results?[form].list = text
            return text
        }
        var text = [UInt8(ascii: "[")]
        var starts: [Int] = []
        starts.reserveCapacity(list.rows.count + 1)
        for (index, row) in list.rows.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            starts.append(text.count)
            text += try known?.text(ofRowAt: index) ?? encode(row)
        }
        starts.append(text.count + 1)
        text.append(UInt8(ascii: "]"))
        results?[form].list = text
        results?[form].rowStarts = starts
        return text
    }

    /// Compares the ids if edits have shown that two are the same, for clients that get no whole list.
    private func checkEdits() {
        guard cell.repeatedIDVersion > checkedVersion else { return }
        checkedVersion = cell.version
        checkIDs(of: cell.rows)
    }

    /// Logs two rows of one id, once, because clients tell rows apart by their ids.
    private func checkIDs(of rows: [Source]) {
        guard !hasRepeatedID else { return }
        var ids: Set<ExactID<Source.ID>> = []
        ids.reserveCapacity(rows.count)
        guard let row = rows.first(where: { !ids.insert(ExactID(id: $0.id)).inserted }) else { return }
        hasRepeatedID = true
        _ = cell.graph.host.incident(RepeatedID(id: "\(row.id)"), in: cell.graph.host.nameForLog(of: self))
    }

    /// The key of the texts in the step's results, which all outputs that show rows as they are share.
    private var form: ObjectIdentifier? { show == nil ? nil : ObjectIdentifier(self) }

    private func encode(_ row: Source) throws -> [UInt8] {
        guard let show else { return try cell.graph.encode(unsafeBitCast(row, to: Row.self)) }
        return try cell.graph.encode(show(row))
    }

    /// Returns the JSON text of a row, which is encoded at most once in a step.
    private func text(ofRowAt index: Int, in list: ListCell<Source>) throws -> [UInt8] {
        let results = list.stepResults
        if let known = results?[form].text(ofRowAt: index) { return known }
        let text = try encode(list.rows[index])
        results?[form].rows[index] = text
        return text
    }

    // MARK: Edits

    func edits(since step: Int) throws -> [ListEdit<[UInt8]>]? {
        let list = current
        guard let entries = list.entries(since: step) else { return nil }
        let results = list.stepResults
        if let known = results?[form].edits[last: entries.count] { return known }
        let encoded = try encoded(list.edits(entries), in: list)
        results?[form].edits[last: entries.count] = encoded
        return encoded
    }

    private func encoded(_ edits: [ListEdit<Source>], in list: ListCell<Source>) throws -> [ListEdit<[UInt8]>] {
        try edits.map { edit in
            try edit.map { row, index in
                // A later edit may have moved or replaced the row.
                let isThere = index < list.rows.count && list.rows[index] == row
                return try isThere ? text(ofRowAt: index, in: list) : encode(row)
            }
        }
    }

    func origins(of range: Range<Int>, since step: Int) -> [Int?]? {
        let list = current
        guard !list.isReplaced, let edits = list.edits(since: step), edits.count <= Self.followedEdits else {
            return nil
        }
        // Without the rows, which would be copied for each index.
        let moves = edits.map { $0.map { _, _ in } }
        return range.map { index in
            var origin = index
            for move in moves.reversed() {
                guard let earlier = move.origin(of: origin) else { return nil }
                origin = earlier
            }
            return origin
        }
    }

    /// The largest number of edits through which rows are followed.
    ///
    /// Encoding the rows again costs less than following them through more.
    private static var followedEdits: Int { 32 }

    func splices(since step: Int) -> ListSplices? { current.splices(since: step) }

    func index(ofFirst rows: [EncodedRow]) -> Int? {
        let list = current
        return rows.lazy.compactMap { ($0.id.base as? ExactID<Source.ID>).flatMap { list.index(of: $0.id) } }.first
    }

    func snapshot(asOf step: Int) -> ListSnapshot? {
        current.rows(asOf: step).map { rows in
            { [self] in
                let list = current
                return try ListDifference.edits(
                    from: rows,
                    to: list.rows,
                    id: { ExactID(id: $0.id) },
                    isEqual: areExactlyEqual
                ).map { try encoded($0, in: list) }
            }
        }
    }
}

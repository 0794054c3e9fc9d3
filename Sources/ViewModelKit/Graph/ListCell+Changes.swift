/// What has changed since a step, for the clients of a list.
extension ListCell {
    /// The length above which former rows are not compared with the present ones.
    private static var comparedLength: Int { 10_000 }

    /// Returns the edits that lead from the list after `step` to the present one, or nil if they are no longer known.
    ///
    /// Several edits are replaced by their difference, which is empty if the list has its former rows again. Ascending
    /// inserts, and lists of more than 10,000 rows, keep the recorded edits, because the comparison would cost more
    /// than it saves.
    func edits(since step: Int) -> [ListEdit<Row>]? {
        entries(since: step).map { edits($0) }
    }

    /// Returns the recorded edits after `step`, the oldest first, or nil if they are no longer known.
    func entries(since step: Int) -> ArraySlice<ListHistory<Row>.Entry>? {
        if isReplaced { logReplacement() }
        return history.entries(since: step)
    }

    /// Returns the edits that lead from the list before `entries`, the last recorded edits, to the present one.
    func edits(_ entries: ArraySlice<ListHistory<Row>.Entry>) -> [ListEdit<Row>] {
        difference(entries) ?? entries.map { $0.edit }
    }

    /// Returns the difference that `entries` make, or nil if the entries themselves are to be used.
    private func difference(_ entries: ArraySlice<ListHistory<Row>.Entry>) -> [ListEdit<Row>]? {
        guard entries.count > 1, rows.count <= Self.comparedLength, !Self.areAscendingInserts(entries) else {
            return nil
        }
        if let known = stepResults?.edits[last: entries.count] { return known }
        let difference = ListDifference.edits(
            from: formerRows(entries),
            to: rows,
            id: { ExactID(id: $0.id) },
            isEqual: areExactlyEqual
        )
        stepResults?.edits[last: entries.count] = difference
        return difference
    }

    /// Returns where rows came and went after `step`, or nil if the edits are no longer known.
    func splices(since step: Int) -> ListSplices? {
        guard let entries = entries(since: step) else { return nil }
        var splices = ListSplices()
        if let difference = difference(entries) {
            for edit in difference { splices.append(edit) }
            return splices
        }
        for entry in entries {
            if case .replace(let row, let index) = entry.edit, let former = entry.former,
                !areExactlyEqual(row.id, former.id)
            {
                splices.remove(at: index)
                splices.insert(at: index)
            } else {
                splices.append(entry.edit)
            }
        }
        return splices
    }

    /// Returns whether the list differs from the one after `step`.
    ///
    /// Returns true if the edits are no longer known.
    func isChanged(since step: Int) -> Bool {
        if let replacement = history.replacement, replacement.step > step { return true }
        guard let entries = history.entries(since: step) else { return true }
        return entries.count == 1 || !edits(entries).isEmpty
    }

    /// Returns the rows after `step`, or nil if the edits are no longer known or the list has more than 10,000 rows.
    func rows(asOf step: Int) -> [Row]? {
        guard rows.count <= Self.comparedLength, let entries = entries(since: step) else { return nil }
        return formerRows(entries)
    }

    private func formerRows(_ entries: ArraySlice<ListHistory<Row>.Entry>) -> [Row] {
        guard !entries.isEmpty else { return rows }
        if let known = stepResults?.formerRows[last: entries.count] { return known }
        let former = ListHistory.undoing(entries, in: rows)
        stepResults?.formerRows[last: entries.count] = former
        return former
    }

    private static func areAscendingInserts(_ entries: ArraySlice<ListHistory<Row>.Entry>) -> Bool {
        var last = -1
        for entry in entries {
            guard case .insert(_, let index) = entry.edit, index > last else { return false }
            last = index
        }
        return true
    }
}

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
        entries(since: step).map(edits)
    }

    private func entries(since step: Int) -> ArraySlice<ListLog<Row>.Entry>? {
        if replacement != nil { settle() }
        return log.entries(since: step)
    }

    private func edits(_ entries: ArraySlice<ListLog<Row>.Entry>) -> [ListEdit<Row>] {
        guard entries.count > 1, rows.count <= Self.comparedLength, !Self.areAscendingInserts(entries) else {
            return entries.map { $0.edit }
        }
        if let known = stepResults?[last: entries.count].edits { return known }
        let difference = ListDifference.edits(
            from: formerRows(entries),
            to: rows,
            id: { ExactID($0.id) },
            isEqual: areExactlyEqual
        )
        let edits = difference ?? entries.map { $0.edit }
        stepResults?[last: entries.count].edits = edits
        return edits
    }

    /// Returns whether the list differs from the one after `step`.
    ///
    /// Returns true if the edits are no longer known.
    func isChanged(since step: Int) -> Bool {
        if let replacement, replacement.step > step { return true }
        guard let entries = log.entries(since: step) else { return true }
        return entries.count == 1 || !edits(entries).isEmpty
    }

    /// Returns the rows after `step`, or nil if the edits are no longer known or the list has more than 10,000 rows.
    func rows(asOf step: Int) -> [Row]? {
        guard rows.count <= Self.comparedLength, let entries = entries(since: step) else { return nil }
        return formerRows(entries)
    }

    private func formerRows(_ entries: ArraySlice<ListLog<Row>.Entry>) -> [Row] {
        guard !entries.isEmpty else { return rows }
        if let known = stepResults?[last: entries.count].formerRows { return known }
        let former = ListLog.undoing(entries, in: rows)
        stepResults?[last: entries.count].formerRows = former
        return former
    }

    // MARK: JSON texts

    /// Returns the edits since `step` with the rows' JSON texts, or nil if they are no longer known.
    func edits(since step: Int, encode: (Row) throws -> [UInt8]) rethrows -> [ListEdit<[UInt8]>]? {
        guard let entries = entries(since: step) else { return nil }
        if let known = stepResults?[last: entries.count].encodedEdits { return known }
        let encoded = try self.encoded(edits(entries), encode: encode)
        stepResults?[last: entries.count].encodedEdits = encoded
        return encoded
    }

    /// Returns the edits that lead from `former` to the present rows, with the rows' JSON texts.
    ///
    /// Returns nil if ids are not unique.
    func edits(from former: [Row], encode: (Row) throws -> [UInt8]) rethrows -> [ListEdit<[UInt8]>]? {
        try ListDifference.edits(from: former, to: rows, id: { ExactID($0.id) }, isEqual: areExactlyEqual)
            .map { try encoded($0, encode: encode) }
    }

    private func encoded(
        _ edits: [ListEdit<Row>],
        encode: (Row) throws -> [UInt8]
    ) rethrows -> [ListEdit<[UInt8]>] {
        try edits.map { edit in
            try edit.map { row, index in
                // A later edit may have moved or replaced the row.
                let isThere = index < rows.count && rows[index] == row
                return try isThere ? text(ofRowAt: index, encode: encode) : encode(row)
            }
        }
    }

    /// Returns the JSON text of a row, which is encoded at most once in a step.
    func text(ofRowAt index: Int, encode: (Row) throws -> [UInt8]) rethrows -> [UInt8] {
        if let known = stepResults?.text(ofRowAt: index) { return known }
        let text = try encode(rows[index])
        stepResults?.rowTexts[index] = text
        return text
    }

    /// Returns the JSON text of the list, which is encoded at most once in a step.
    func text(encode: ([Row]) throws -> [UInt8]) rethrows -> [UInt8] {
        if let known = stepResults?.text { return known }
        let text = try encode(rows)
        stepResults?.text = text
        return text
    }

    /// Returns the JSON text of the list, made of the texts of its rows.
    ///
    /// In a step, each row is encoded at most once.
    func text(encodingRows encode: (Row) throws -> [UInt8]) rethrows -> [UInt8] {
        if let known = stepResults?.text { return known }
        var text = [UInt8(ascii: "[")]
        var starts: [Int] = []
        starts.reserveCapacity(rows.count + 1)
        for (index, row) in rows.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            starts.append(text.count)
            text += try stepResults?.text(ofRowAt: index) ?? encode(row)
        }
        starts.append(text.count + 1)
        text.append(UInt8(ascii: "]"))
        stepResults?.setText(text, rowStarts: starts)
        return text
    }

    private static func areAscendingInserts(_ entries: ArraySlice<ListLog<Row>.Entry>) -> Bool {
        var last = -1
        for entry in entries {
            guard case .insert(_, let index) = entry.edit, index > last else { return false }
            last = index
        }
        return true
    }
}

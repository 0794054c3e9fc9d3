/// The last edits of a list, so that a client's picture can be brought up to date without the whole list.
struct ListLog<Row> {
    /// Edits kept for clients that lag or come back; those that need older ones get the list itself.
    static var capacity: Int { 1024 }

    private var entries: [(step: Int, edit: ListEdit<Row>)] = []
    /// What happened up to this step is not known any more.
    private var forgottenThrough = 0

    mutating func record(_ edit: ListEdit<Row>, step: Int) {
        if entries.count >= 2 * Self.capacity {
            let dropped = entries.count - Self.capacity
            forgottenThrough = entries[dropped - 1].step
            entries.removeFirst(dropped)
        }
        entries.append((step, edit))
    }

    /// Forgets all, because the list was changed as a whole.
    mutating func reset(step: Int) {
        entries = []
        forgottenThrough = step
    }

    /// The edits after `step`, oldest first; nil when they are not known.
    func edits(since step: Int) -> [ListEdit<Row>]? {
        guard step >= forgottenThrough else { return nil }
        var first = entries.count
        while first > 0, entries[first - 1].step > step {
            first -= 1
        }
        return entries[first...].map(\.edit)
    }
}

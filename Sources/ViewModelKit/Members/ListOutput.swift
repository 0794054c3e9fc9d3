/// A list that clients see.
///
/// They get its changes, or the rows of a window.
///
/// Rows are objects with a unique `id`, which is also a member of the object on the wire. Isolation: confined to its
/// session.
public final class ListOutput<Row: Schemable & Equatable & Identifiable> where Row.ID: Codable {
    /// The output in the graph, as the host reads it.
    package let source: any ListSource<Row>

    /// Creates the output of a list.
    ///
    /// A ``ListCell`` records its own edits, and the cost of an edit does not depend on the list's length. Each change of
    /// a derived list is compared with the former list, row by row. While no client has bound the output, such a list is
    /// neither computed nor compared.
    public convenience init(_ signal: Signal<[Row]>) {
        self.init(source: ShownList<Row, Row>(signal, row: nil))
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
        self.init(source: ShownList(signal, row: row))
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

    private init(source: any ListSource<Row>) {
        self.source = source
    }

    /// The current rows, including writes of the running step.
    public var value: [Row] { source.rows }
}

/// Rows by their ids.
extension ListCell {
    /// The row with an id, or nil.
    ///
    /// Assigning a row replaces it, or appends it if there was none. Assigning nil removes it. A change in place
    /// (`rows[id: 7]?.title = "x"`) replaces the row. If the assigned row has another id, it also replaces the row of that
    /// id.
    public subscript(id id: Row.ID) -> Row? {
        get { index(of: id).map { self[$0] } }
        set {
            if let row = newValue, !areExactlyEqual(row.id, id), let other = index(of: row.id) {
                remove(at: other)
            }
            switch (index(of: id), newValue) {
            case (let index?, let row?): replace(row, at: index)
            case (let index?, nil): remove(at: index)
            case (nil, let row?): append(row)
            case (nil, nil): break
            }
        }
    }

    /// Replaces the row that has the same id as `row`, or appends `row` to the list.
    public func upsert(_ row: Row) {
        self[id: row.id] = row
    }

    /// Removes the row with this id.
    ///
    /// - Parameters:
    ///   - id: the row's id.
    ///   - path: the place of the id in the params, such as `/id`, for the error.
    /// - Returns: the row.
    /// - Throws: ``InvalidValue`` if there is no such row.
    @discardableResult
    public func remove(id: Row.ID, at path: String = "") throws(InvalidValue) -> Row {
        remove(at: try existingIndex(of: id, at: path))
    }

    /// Changes the row with this id.
    ///
    /// - Parameters:
    ///   - id: the row's id.
    ///   - path: the place of the id in the params, such as `/id`, for the error.
    ///   - change: changes the row.
    /// - Throws: ``InvalidValue`` if there is no such row.
    public func update(id: Row.ID, at path: String = "", _ change: (inout Row) -> Void) throws(InvalidValue) {
        let index = try existingIndex(of: id, at: path)
        var row = self[index]
        change(&row)
        replace(row, at: index)
    }

    /// Moves the row with this id to an index in the list without that row.
    ///
    /// - Parameters:
    ///   - id: the row's id.
    ///   - index: the new index; 0 for the first row.
    ///   - path: the place of the id in the params, such as `/id`, for the error.
    /// - Throws: ``InvalidValue`` if there is no such row, or no such index.
    public func move(id: Row.ID, to index: Int, at path: String = "") throws(InvalidValue) {
        let source = try existingIndex(of: id, at: path)
        guard indices.contains(index) else {
            throw InvalidValue(expected: "an index from 0 to \(count - 1)", found: "\(index)")
        }
        move(from: source, to: index)
    }

    private func existingIndex(of id: Row.ID, at path: String) throws(InvalidValue) -> Int {
        guard let index = index(of: id) else {
            if let id = id as? any Encodable {
                throw InvalidValue(path: path, expected: "the id of a row", value: id)
            }
            throw InvalidValue(path: path, expected: "the id of a row", found: "\(id)")
        }
        return index
    }
}

/// The edits of an array.
extension ListCell {
    /// Appends rows.
    public static func += (list: ListCell, new: some Collection<Row>) { list.append(contentsOf: new) }

    /// Removes the first row.
    ///
    /// - Precondition: the list has a row.
    @discardableResult
    public func removeFirst() -> Row { remove(at: 0) }

    /// Removes the last row.
    ///
    /// - Precondition: the list has a row.
    @discardableResult
    public func removeLast() -> Row { remove(at: count - 1) }

    /// Removes all rows.
    public func removeAll() { replaceAll(with: []) }

    /// Sorts the rows.
    ///
    /// - Parameter areInIncreasingOrder: returns whether the first row comes before the second one.
    public func sort(by areInIncreasingOrder: (Row, Row) throws -> Bool) rethrows {
        replaceAll(with: try rows.sorted(by: areInIncreasingOrder))
    }

    /// Sorts the rows in ascending order.
    public func sort() where Row: Comparable { sort(by: <) }
}

/// The list as a collection of its rows.
///
/// `map` with a closure that takes all rows is that of ``Signal``; with one that takes a row it is the collection's.
extension ListCell: RandomAccessCollection {
    /// The index of the first row, which is 0.
    public var startIndex: Int { 0 }

    /// The number of rows.
    public var endIndex: Int { count }

    /// Returns an iterator over the current rows.
    public func makeIterator() -> IndexingIterator<[Row]> { value.makeIterator() }
}

extension ListCell: ExpressibleByArrayLiteral {
    /// Creates a list of these rows.
    public convenience init(arrayLiteral elements: Row...) {
        self.init(elements)
    }
}

package import ViewModelStorage

/// A row of a result.
///
/// A column of an unexpected type throws an error: the tables may have been edited by hand.
package struct SQLRow: Sendable {
    /// The columns of a result by name, with their positions and types (`pg_type.oid`).
    typealias Columns = [String: (position: Int, type: UInt32)]

    let columns: Columns
    let values: [[UInt8]?]

    /// Returns the type of a column, or nil if the row does not have the column.
    func type(of name: String) -> UInt32? { columns[name]?.type }

    private func raw(_ name: String, _ types: Set<UInt32>) throws(StoreError) -> [UInt8]? {
        guard let column = columns[name], types.contains(column.type) else { throw .unexpectedColumn(name) }
        return values[column.position]
    }

    /// Returns a column of type `bytea`, or nil for NULL.
    package func optionalBytes(_ column: String) throws(StoreError) -> [UInt8]? {
        try raw(column, [17])
    }

    package func bytes(_ column: String) throws(StoreError) -> [UInt8] {
        guard let bytes = try optionalBytes(column) else { throw .unexpectedColumn(column) }
        return bytes
    }

    /// Returns a column of type `text`, or nil for NULL.
    package func optionalText(_ column: String) throws(StoreError) -> String? {
        try raw(column, [19, 25, 1043]).map { String(decoding: $0, as: UTF8.self) }
    }

    package func text(_ column: String) throws(StoreError) -> String {
        guard let text = try optionalText(column) else { throw .unexpectedColumn(column) }
        return text
    }

    /// Returns an integer of two, four or eight bytes, or nil for NULL.
    package func optionalInteger(_ column: String) throws(StoreError) -> Int64? {
        guard let bytes = try raw(column, [20, 21, 23]) else { return nil }
        guard let first = bytes.first else { throw .unexpectedColumn(column) }
        return bytes.dropFirst().reduce(Int64(Int8(bitPattern: first))) { $0 << 8 | Int64($1) }
    }

    /// Returns an integer that is never NULL and fits.
    package func integer<Value: FixedWidthInteger>(
        _ column: String,
        as type: Value.Type = Value.self
    ) throws(StoreError) -> Value {
        guard let integer = try optionalInteger(column), let value = Value(exactly: integer) else {
            throw .unexpectedColumn(column)
        }
        return value
    }

    package func truth(_ column: String) throws(StoreError) -> Bool {
        guard let byte = try raw(column, [16])?.first else { throw .unexpectedColumn(column) }
        return byte != 0
    }
}

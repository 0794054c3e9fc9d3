import FoundationEssentials
import GRDB

extension Row {
    /// Returns a column that is never NULL.
    ///
    /// - Throws: `UnexpectedColumn` for a wrong type or NULL. GRDB's own subscript would end the process on a damaged
    ///   file.
    func value<Value: DatabaseValueConvertible>(_ column: String, as type: Value.Type = Value.self) throws -> Value {
        guard let value = try optional(column, as: type) else { throw UnexpectedColumn(name: column) }
        return value
    }

    func optional<Value: DatabaseValueConvertible>(_ column: String, as type: Value.Type = Value.self) throws -> Value?
    {
        let stored: DatabaseValue = self[column]
        if stored.isNull { return nil }
        guard let value = Value.fromDatabaseValue(stored) else { throw UnexpectedColumn(name: column) }
        return value
    }

    /// Returns a text from user input, which is stored as a blob.
    func text(_ column: String) throws -> String {
        String(decoding: try value(column, as: Data.self), as: UTF8.self)
    }

    /// Returns a text from user input, or nil for NULL.
    func optionalText(_ column: String) throws -> String? {
        try optional(column, as: Data.self).map { String(decoding: $0, as: UTF8.self) }
    }

    func bytes(_ column: String) throws -> [UInt8] {
        Array(try value(column, as: Data.self))
    }
}

extension String {
    /// The text as a blob, the form in which user input is stored.
    var blob: Data { Data(utf8) }
}

extension Int64 {
    /// Returns the difference, or `max` or `min` on overflow.
    func clamped(minus other: Int64) -> Int64 {
        let (difference, isOver) = subtractingReportingOverflow(other)
        return isOver ? (other > 0 ? .min : .max) : difference
    }
}

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

extension Date {
    /// The microseconds since 1970, the form in which times are stored.
    var microseconds: Int64 {
        let value = timeIntervalSince1970 * 1_000_000
        return Int64(exactly: value.rounded()) ?? (value < 0 ? .min : .max)
    }

    init(microseconds: Int64) {
        self.init(timeIntervalSince1970: Double(microseconds) / 1_000_000)
    }
}

extension Duration {
    /// The whole microseconds, clamped to 0 and about 10,000 years, so that sums with an age cannot trap.
    var microseconds: Int64 {
        let (seconds, attoseconds) = min(max(self, .zero), .seconds(315_576_000_000)).components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }
}

extension Int64 {
    /// Returns the difference, or `max` or `min` on overflow.
    func clamped(minus other: Int64) -> Int64 {
        let (difference, isOver) = subtractingReportingOverflow(other)
        return isOver ? (other > 0 ? .min : .max) : difference
    }
}

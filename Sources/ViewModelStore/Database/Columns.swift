import FoundationEssentials
import GRDB

extension Row {
    /// A column that is never NULL.
    ///
    /// - Throws: `UnexpectedColumn`, where GRDB's own subscript would end the process over a damaged file.
    func value<Value: DatabaseValueConvertible>(_ column: String, as type: Value.Type = Value.self) throws -> Value {
        guard let value = try optional(column, as: type) else { throw UnexpectedColumn(name: column) }
        return value
    }

    /// A column that may be NULL.
    func optional<Value: DatabaseValueConvertible>(_ column: String, as type: Value.Type = Value.self) throws -> Value?
    {
        let stored: DatabaseValue = self[column]
        if stored.isNull { return nil }
        guard let value = Value.fromDatabaseValue(stored) else { throw UnexpectedColumn(name: column) }
        return value
    }

    /// A text of a person, which is kept as a blob.
    func text(_ column: String) throws -> String {
        String(decoding: try value(column, as: Data.self), as: UTF8.self)
    }

    /// A text of a person that may be missing.
    func optionalText(_ column: String) throws -> String? {
        try optional(column, as: Data.self).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Bytes.
    func bytes(_ column: String) throws -> [UInt8] {
        Array(try value(column, as: Data.self))
    }

    /// A time that is kept in microseconds.
    func date(_ column: String) throws -> Date {
        Date(microseconds: try value(column))
    }
}

extension String {
    /// How a person's text is kept.
    var blob: Data { Data(utf8) }
}

extension Date {
    /// Microseconds since 1970, as times are kept.
    var microseconds: Int64 {
        let value = timeIntervalSince1970 * 1_000_000
        return Int64(exactly: value.rounded()) ?? (value < 0 ? .min : .max)
    }

    init(microseconds: Int64) {
        self.init(timeIntervalSince1970: Double(microseconds) / 1_000_000)
    }
}

extension Duration {
    /// Whole microseconds, as ages are computed with; nothing below zero, and at most 10,000 years.
    var microseconds: Int64 {
        let (seconds, attoseconds) = min(max(self, .zero), .seconds(315_576_000_000)).components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }
}

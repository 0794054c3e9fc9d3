import FoundationEssentials
import GRDB
package import ViewModelStorage

/// The records of the file, as they are copied from and to other stores.
extension StateStore {
    package func records() async throws(StoreError) -> StoreRecords {
        try await database.read { try Self.records($0) }
    }

    package func fill(with records: StoreRecords) async throws(StoreError) {
        let (path, ages) = (database.path, database.ages)
        // The copied sessions keep their ages.
        if let latest = records.latestUse { ages.set(to: latest) }
        try await database.write { db in
            guard try Self.records(db).isEmpty else {
                throw StoreError.notEmpty(path, "Move the file away with its -wal and -shm, or name another directory")
            }
            let now = "\(ages.now)"
            let further: [String: [(column: String, value: String)]] = [
                "cache": [
                    ("namespace", "CAST('account' AS BLOB)"), ("key", "CAST('page' AS BLOB)"), ("freshUntil", now),
                    ("usedAt", now), ("bytes", "0"),
                ],
                "outbox": [("createdAt", now)],
            ]
            for (table, rows) in zip(StoreRecords.tables, records.rows) {
                let further = further[table.name] ?? []
                let columns = (table.columns + further.map(\.column)).joined(separator: ", ")
                let values = (table.columns.map { _ in "?" } + further.map(\.value)).joined(separator: ", ")
                let insertion = try db.makeStatement(sql: "INSERT INTO \(table.name) (\(columns)) VALUES (\(values))")
                for row in rows { try insertion.execute(arguments: StatementArguments(row.map(\.databaseValue))) }
            }
            try db.execute(
                sql: "UPDATE cache SET bytes = length(value) + coalesce(length(etag), 0) + \(CacheEntry.overhead)"
            )
            try ages.save(db)
        }
    }

    private static func records(_ db: Database) throws -> StoreRecords {
        try StoreRecords { table in
            let columns = table.columns.joined(separator: ", ")
            return try Row.fetchAll(db, sql: "SELECT \(columns) FROM \(table.name)").map { row in
                try row.map { name, value in
                    switch value.storage {
                    case .null: .null
                    case .int64(let number): .integer(number)
                    case .string(let text): .text(text)
                    case .blob(let bytes): .bytes(Array(bytes))
                    case .double: throw UnexpectedColumn(name: name)
                    }
                }
            }
        }
    }
}

extension StoreRecords.Value {
    fileprivate var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .integer(let number): number.databaseValue
        case .text(let text): text.databaseValue
        case .bytes(let bytes): Data(bytes).databaseValue
        }
    }
}

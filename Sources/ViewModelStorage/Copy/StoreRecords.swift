import Digests

/// All records of a store, as they are copied to another one: the rows of the tables that every store has.
package struct StoreRecords: Sendable {
    package enum Value: Hashable, Sendable {
        case null
        case integer(Int64)
        case text(String)
        case bytes([UInt8])
    }

    /// A table with the columns that a copy keeps.
    ///
    /// The names are those of SQLite. In PostgreSQL they are in snake case.
    package struct Table: Sendable {
        package let name: String
        package let columns: [String]

        package var inSnakeCase: Table {
            Table(name: Self.snakeCase(name), columns: columns.map(Self.snakeCase))
        }

        private static func snakeCase(_ name: String) -> String {
            name.map { $0.isUppercase ? "_\($0.lowercased())" : "\($0)" }.joined()
        }
    }

    /// The tables, each behind those to which its rows refer.
    package static let tables = [
        Table(name: "person", columns: ["uid", "subject"]),
        Table(name: "account", columns: ["name", "nickname", "balance", "coupons", "parameters", "salt", "hash"]),
        Table(name: "vault", columns: ["uid", "provider", "keyId", "sealed"]),
        Table(name: "vaultKey", columns: ["keyId", "origin"]),
        Table(name: "cache", columns: ["uid", "value", "etag", "fetchedAt"]),
        Table(
            name: "outbox",
            columns: ["position", "uid", "id", "text", "status", "attempts", "problem", "sentOrder"]
        ),
        Table(name: "session", columns: ["session", "uid", "name", "usedAt"]),
        Table(name: "sessionInstance", columns: ["session", "position", "id", "type", "arguments"]),
        Table(name: "sessionValue", columns: ["session", "owner", "name", "text"]),
        Table(name: "lastingValue", columns: ["uid", "owner", "name", "text"]),
    ]

    /// The rows of each of ``tables``, in any order.
    ///
    /// None is an item that is being sent.
    package var rows: [[[Value]]]

    package init(_ read: (Table) throws -> [[Value]]) rethrows {
        rows = try Self.tables.map(read)
        // The record of a key stays after the last token that the key has encrypted.
        let used = Set(column("keyId", of: "vault"))
        for (index, table) in Self.tables.enumerated() where table.name == "vaultKey" {
            rows[index].removeAll { !used.contains($0[0]) }
        }
    }

    package var isEmpty: Bool { rows.allSatisfy(\.isEmpty) }

    package var keyIDs: Set<String> {
        Set(column("keyId", of: "vault").compactMap { if case .text(let id) = $0 { id } else { nil } })
    }

    package var latestUse: Int64? {
        column("usedAt", of: "session").compactMap { if case .integer(let time) = $0 { time } else { nil } }.max()
    }

    package func column(_ column: String, of table: String) -> [Value] {
        guard let number = Self.tables.firstIndex(where: { $0.name == table }),
            let index = Self.tables[number].columns.firstIndex(of: column)
        else { return [] }
        return rows[number].map { $0[index] }
    }
}

extension StoreRecords {
    /// The number of the records of a kind, and a digest of their content.
    package struct Summary: Equatable, Sendable {
        /// The kind, for people.
        package let kind: String
        package let count: Int
        /// The first 16 hexadecimal digits of a SHA-256 of the records, in whatever order.
        package let digest: String
    }

    private static let kinds = [
        ("people", ["person"]), ("accounts", ["account"]), ("tokens", ["vault"]), ("keys of tokens", ["vaultKey"]),
        ("cached pages", ["cache"]),
        ("outbox items", ["outbox"]), ("sessions", ["session", "sessionInstance", "sessionValue"]),
        ("users with values", ["lastingValue"]),
    ]

    package var summaries: [Summary] {
        Self.kinds.map { kind, names in
            let tables = names.map { name in zip(Self.tables, rows).first { $0.0.name == name }?.1 ?? [] }
            var hash = SHA256()
            for table in tables {
                let rows = table.map { $0.flatMap(\.encoded) }
                for row in rows.sorted(by: { $0.lexicographicallyPrecedes($1) }) { hash.update(row) }
            }
            let count = kind == "users with values" ? Set(tables[0].map { $0[0].encoded }).count : tables[0].count
            return Summary(kind: kind, count: count, digest: hash.finalize().prefix(8).hexadecimal)
        }
    }
}

extension StoreRecords.Value {
    /// The type, the length and the content.
    fileprivate var encoded: [UInt8] {
        let (type, content): (UInt8, [UInt8]) =
            switch self {
            case .null: (0, [])
            case .integer(let number): (1, withUnsafeBytes(of: number.bigEndian) { Array($0) })
            case .text(let text): (2, Array(text.utf8))
            case .bytes(let bytes): (3, bytes)
            }
        return [type] + withUnsafeBytes(of: Int64(content.count).bigEndian) { Array($0) } + content
    }
}

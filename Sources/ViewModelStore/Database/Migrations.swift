import GRDB
import GRDBSQLite

/// The migrations from an empty file to the schema of this version.
///
/// Each one is applied once. Its text must not change after a release, because every open compares the file with it.
enum Migrations {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        // The first tables cannot violate each other's references, so GRDB need not check them afterwards.
        migrator.registerMigration("1", foreignKeyChecks: .immediate, migrate: firstVersion)
        migrator.registerMigration("2", foreignKeyChecks: .immediate, migrate: outboxTotal)
        migrator.registerMigration("3", foreignKeyChecks: .immediate, migrate: vaultKeys)
        return migrator
    }

    /// An empty store in memory, from which new files are copied and with which old ones are compared.
    ///
    /// It is never released. The end of a GRDB queue runs work on libdispatch's global queues, which wake up every
    /// second from their first use on.
    static let model = Result {
        let model = try DatabaseQueue()
        try migrator.migrate(model)
        return model
    }

    /// The bytes of a new file.
    static let newFile = Result {
        try model.get().read { db in
            var size: sqlite3_int64 = 0
            guard let bytes = sqlite3_serialize(db.sqliteConnection, "main", &size, 0) else {
                throw DatabaseError(resultCode: .SQLITE_NOMEM)
            }
            defer { sqlite3_free(bytes) }
            var file = Array(UnsafeBufferPointer(start: bytes, count: Int(size)))
            // Mark the file as WAL, which a database in memory is not (sqlite.org/fileformat.html, 1.3.3).
            (file[18], file[19]) = (2, 2)
            return file
        }
    }

    /// Returns whether the tables are the ones that the file's migrations create.
    ///
    /// SQLite's own check compares the rows with the definitions, but does not know the expected definitions.
    static func areIntact(in db: Database) throws -> Bool {
        let migrator = migrator
        guard let last = try migrator.completedMigrations(db).last else { return true }
        let model = last == migrator.migrations.last ? try model.get() : try DatabaseQueue()
        try migrator.migrate(model, upTo: last)
        return try model.read { try definitions($0) } == definitions(db)
    }

    private static func definitions(_ db: Database) throws -> Set<String> {
        let definitions = try String.fetchSet(
            db,
            sql: """
                SELECT type || ' ' || name || ' ' || tbl_name || ' ' || coalesce(sql, '') FROM sqlite_schema
                WHERE name NOT LIKE 'grdb%' AND name NOT LIKE 'sqlite%'
                """
        )
        return Set(definitions.map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") })
    }
}

import GRDB
import GRDBSQLite

/// The steps from an empty file to what this version writes.
///
/// Each is applied once. After a release its text is not touched any more: a file is compared with it whenever it is opened.
enum Migrations {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        // What makes the first tables breaks no reference of theirs.
        migrator.registerMigration("1", foreignKeyChecks: .immediate, migrate: firstVersion)
        migrator.registerMigration("2", foreignKeyChecks: .immediate, migrate: outboxTotal)
        migrator.registerMigration("3", foreignKeyChecks: .immediate, migrate: vaultKeys)
        return migrator
    }

    /// A store with nothing in it, in memory: what new files are made from and old ones are compared with.
    ///
    /// It stays: when a queue of GRDB's ends, that is work for libdispatch's global queues, which wake up every second from
    /// their first use on.
    static let model = Result {
        let model = try DatabaseQueue()
        try migrator.migrate(model)
        return model
    }

    /// What is in a new file.
    static let newFile = Result {
        try model.get().read { db in
            var size: sqlite3_int64 = 0
            guard let bytes = sqlite3_serialize(db.sqliteConnection, "main", &size, 0) else {
                throw DatabaseError(resultCode: .SQLITE_NOMEM)
            }
            defer { sqlite3_free(bytes) }
            var file = Array(UnsafeBufferPointer(start: bytes, count: Int(size)))
            // That it has a log, which a model in memory has not: sqlite.org/fileformat.html, 1.3.3.
            (file[18], file[19]) = (2, 2)
            return file
        }
    }

    /// Whether the tables are those that the file's migrations make.
    ///
    /// SQLite's own check compares what is in the tables with their definitions, whatever became of these.
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

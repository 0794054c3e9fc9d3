import GRDB
import GRDBSQLite

/// The migrations from an empty file to the schema of this version.
///
/// Each one is applied once. Its text must not change after a release, because every open compares the file with it.
enum Migrations {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        let versions = [firstVersion, outboxTotal, vaultKeys, lastingValues, ages, cacheByFetch, people]
        for (index, text) in versions.enumerated() {
            // The tables of a version cannot violate each other's references, so GRDB need not check them afterwards.
            migrator.registerMigration("\(index + 1)", foreignKeyChecks: .immediate) { try $0.execute(sql: text) }
        }
        return migrator
    }

    /// An empty store in memory, from which new files are copied and with which old ones are compared.
    ///
    /// It is never released. The end of a GRDB queue runs work on libdispatch's global queues. From their first use on,
    /// libdispatch reads `/proc` once a second, and it ends the process if no descriptor is left for that.
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

    /// Returns whether the file has the first version of the schema, or a later one.
    static func isPresent(in db: Database) throws -> Bool {
        try migrator.appliedIdentifiers(db).contains("1")
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

extension Migrations {
    /// Creates the tables of the first version.
    ///
    /// User input is stored as blobs, because SQLite's text ends at a NUL.
    private static let firstVersion = vault + cache + outbox + accounts + sessions

    private static let vault = """
        CREATE TABLE vault (
            uid INTEGER NOT NULL,
            provider TEXT NOT NULL,
            keyID TEXT NOT NULL,
            sealed BLOB NOT NULL,
            PRIMARY KEY (uid, provider)
        ) STRICT, WITHOUT ROWID;

        """

    /// The cache.
    ///
    /// `fetchedAt` is in microseconds since 1970. `freshUntil` is the time of the last response or confirmation by the
    /// clock of migration 5. Nothing reads `usedAt` any more.
    private static let cache = """
        CREATE TABLE cache (
            entry INTEGER PRIMARY KEY,
            uid INTEGER NOT NULL,
            namespace BLOB NOT NULL,
            key BLOB NOT NULL,
            value BLOB NOT NULL,
            etag BLOB,
            fetchedAt INTEGER NOT NULL,
            freshUntil INTEGER NOT NULL,
            usedAt INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            UNIQUE (uid, namespace, key)
        ) STRICT;
        CREATE INDEX cacheByUse ON cache (usedAt);
        CREATE INDEX cacheByAge ON cache (fetchedAt);
        CREATE TABLE cacheTotal (bytes INTEGER NOT NULL) STRICT;
        INSERT INTO cacheTotal VALUES (0);
        CREATE TRIGGER cacheGrows AFTER INSERT ON cache BEGIN
            UPDATE cacheTotal SET bytes = bytes + NEW.bytes;
        END;
        CREATE TRIGGER cacheChanges AFTER UPDATE OF bytes ON cache BEGIN
            UPDATE cacheTotal SET bytes = bytes + NEW.bytes - OLD.bytes;
        END;
        CREATE TRIGGER cacheShrinks AFTER DELETE ON cache BEGIN
            UPDATE cacheTotal SET bytes = bytes - OLD.bytes;
        END;

        """

    private static let outbox = """
        CREATE TABLE outbox (
            position INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            uid INTEGER NOT NULL,
            text BLOB NOT NULL,
            status TEXT NOT NULL CHECK (status IN ('queued', 'sending', 'sent', 'failed')),
            attempts INTEGER NOT NULL DEFAULT 0,
            problem BLOB,
            createdAt INTEGER NOT NULL,
            sentOrder INTEGER
        ) STRICT;
        CREATE INDEX outboxByStatus ON outbox (uid, status, position);
        CREATE INDEX outboxBySending ON outbox (uid, sentOrder) WHERE sentOrder IS NOT NULL;

        """

    private static let accounts = """
        CREATE TABLE account (
            name BLOB NOT NULL PRIMARY KEY,
            nickname BLOB,
            balance TEXT NOT NULL DEFAULT '0',
            coupons TEXT NOT NULL DEFAULT '0',
            parameters TEXT NOT NULL,
            salt BLOB NOT NULL,
            hash BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;

        """

    private static let sessions = """
        CREATE TABLE session (
            session INTEGER PRIMARY KEY,
            uid INTEGER NOT NULL,
            name TEXT NOT NULL,
            usedAt INTEGER NOT NULL,
            UNIQUE (uid, name)
        ) STRICT;
        CREATE INDEX sessionByUse ON session (usedAt);
        CREATE TABLE sessionInstance (
            session INTEGER NOT NULL REFERENCES session ON DELETE CASCADE,
            position INTEGER NOT NULL,
            id TEXT NOT NULL,
            type TEXT NOT NULL,
            arguments BLOB,
            PRIMARY KEY (session, position),
            UNIQUE (session, id)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE sessionValue (
            session INTEGER NOT NULL REFERENCES session ON DELETE CASCADE,
            owner TEXT NOT NULL,
            name TEXT NOT NULL,
            text BLOB NOT NULL,
            PRIMARY KEY (session, owner, name)
        ) STRICT, WITHOUT ROWID;

        """

    /// Adds a count of each user's unsent items, so that an addition reads one row, however many items there are.
    private static let outboxTotal = """
        CREATE TABLE outboxTotal (
            uid INTEGER PRIMARY KEY,
            items INTEGER NOT NULL,
            bytes INTEGER NOT NULL
        ) STRICT;
        INSERT INTO outboxTotal
            SELECT uid, count(*), sum(length(text)) FROM outbox WHERE status <> 'sent' GROUP BY uid;
        CREATE TRIGGER outboxGrows AFTER INSERT ON outbox WHEN NEW.status <> 'sent' BEGIN
            INSERT INTO outboxTotal VALUES (NEW.uid, 1, length(NEW.text))
            ON CONFLICT (uid) DO UPDATE SET items = items + 1, bytes = bytes + excluded.bytes;
        END;
        CREATE TRIGGER outboxShrinks AFTER DELETE ON outbox WHEN OLD.status <> 'sent' BEGIN
            UPDATE outboxTotal SET items = items - 1, bytes = bytes - length(OLD.text) WHERE uid = OLD.uid;
        END;
        CREATE TRIGGER outboxSends AFTER UPDATE OF status ON outbox
        WHEN OLD.status <> 'sent' AND NEW.status = 'sent' BEGIN
            UPDATE outboxTotal SET items = items - 1, bytes = bytes - length(NEW.text) WHERE uid = NEW.uid;
        END;
        """

    /// Adds the origin of each key that encrypts tokens, which distinguishes a key that was not passed from a lost one.
    private static let vaultKeys = """
        CREATE TABLE vaultKey (
            keyID TEXT NOT NULL PRIMARY KEY,
            origin TEXT NOT NULL CHECK (origin IN ('configured', 'credential', 'own'))
        ) STRICT, WITHOUT ROWID;
        """

    /// Adds the values that are kept for a user, or for the daemon (`uid` -1).
    private static let lastingValues = """
        CREATE TABLE lastingValue (
            uid INTEGER NOT NULL,
            owner TEXT NOT NULL,
            name TEXT NOT NULL,
            text BLOB NOT NULL,
            PRIMARY KEY (uid, owner, name)
        ) STRICT, WITHOUT ROWID;
        """

    /// Adds the clock by which ages are measured (`StoreClock`), with the time of the last use of a session.
    ///
    /// Former times are times of day, which may have been wrong. All ages begin anew, and sessions keep their order.
    private static let ages = """
        CREATE TABLE clock (time INTEGER NOT NULL) STRICT;
        INSERT INTO clock SELECT coalesce(max(usedAt), 0) FROM session;
        UPDATE session SET usedAt = (SELECT time FROM clock) - later.number FROM (
            SELECT session, row_number() OVER (ORDER BY usedAt DESC, session DESC) - 1 AS number FROM session
        ) AS later WHERE later.session = session.session;
        UPDATE cache SET freshUntil = (SELECT time FROM clock);
        UPDATE outbox SET createdAt = (SELECT time FROM clock);
        """

    /// Adds the order in which pages expire, and in which they leave a full cache.
    private static let cacheByFetch = """
        DROP INDEX cacheByUse;
        DROP INDEX cacheByAge;
        CREATE INDEX cacheByFetch ON cache (freshUntil, uid);
        """

    /// Adds the numbers of people without a Unix account, by the SHA-256 of their subjects.
    private static let people = """
        CREATE TABLE person (
            uid INTEGER PRIMARY KEY CHECK (uid BETWEEN 2147483648 AND 4294967294),
            subject BLOB NOT NULL UNIQUE
        ) STRICT;
        """
}

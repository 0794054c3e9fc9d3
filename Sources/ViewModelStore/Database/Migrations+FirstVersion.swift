import GRDB

extension Migrations {
    /// Creates the tables of the first version.
    ///
    /// User input is stored as blobs, because SQLite's text ends at a NUL.
    static func firstVersion(_ db: Database) throws {
        try db.execute(sql: vault + cache + outbox + accounts + sessions)
    }

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
    /// Times are microseconds since 1970. `usedAt` is a time as well, made unique so that it orders all uses.
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
}

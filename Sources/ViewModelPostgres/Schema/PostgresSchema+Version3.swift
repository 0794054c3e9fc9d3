/// The changes of the third version.
///
/// - A session has its size and the limit of its last save, which refuses a larger one, and the fence and number of that save.
/// - What an owner reports about a session has a table of its own, because a save may hold the row of the owner for long.
/// - Nothing reads `used_at` of the cache any more.
/// - Nodes ask each other for sessions in a table. Notifications only say where to look, because everyone who may connect to
///   the database can read and send them.
extension PostgresSchema {
    static let version3 = [
        """
        ALTER TABLE session ADD COLUMN bytes bigint NOT NULL DEFAULT 0, ADD COLUMN byte_limit bigint,
            ADD COLUMN saved_fence bigint NOT NULL DEFAULT 0, ADD COLUMN saved_number bigint NOT NULL DEFAULT 0,
            ADD CONSTRAINT session_size CHECK (bytes <= byte_limit)
        """,
        "ALTER TABLE cache ALTER used_at SET DEFAULT 0",
        "DROP INDEX cache_by_use",
        "UPDATE session s SET bytes = \(PostgresSessions.size)",
        // The report counts while the session has this fence. The columns of `session_owner` for it are for older nodes.
        """
        CREATE TABLE session_report (
            uid bigint NOT NULL,
            name text COLLATE "C" NOT NULL,
            fence bigint NOT NULL,
            reports bigint NOT NULL DEFAULT 1,
            attached integer NOT NULL,
            instances integer NOT NULL,
            created text NOT NULL,
            expires text,
            PRIMARY KEY (uid, name)
        )
        """,
        // A claim of the boot asks for the session that lives elsewhere under the fence, until the time or until it asks
        // again. The owner may have closed the session since.
        """
        CREATE TABLE session_request (
            uid bigint NOT NULL,
            name text COLLATE "C" NOT NULL,
            boot text NOT NULL,
            fence bigint NOT NULL,
            mode text NOT NULL,
            claim bigint NOT NULL,
            until timestamptz NOT NULL,
            is_closed boolean NOT NULL DEFAULT FALSE,
            PRIMARY KEY (uid, name, boot)
        )
        """,
    ]
}

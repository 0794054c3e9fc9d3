/// The tables of the first version.
///
/// - Text from people is `bytea`, because PostgreSQL's text cannot contain a NUL.
/// - Leases are times of the database's clock. Other times are microseconds since 1970, or by the clock of version 2.
/// - A boot is one run of a daemon. Whatever a boot has claimed is free again when the lease of its row in `node` has
///   expired, or the row is gone.
extension PostgresSchema {
    static let version1 = nodes + sessions + accounts + outbox + values

    private static let nodes = [
        """
        CREATE TABLE node (
            boot text PRIMARY KEY,
            name text NOT NULL UNIQUE,
            lease_until timestamptz NOT NULL
        )
        """,
        // Numbers of take-overs: each is larger than all before it, whatever session it is for.
        "CREATE SEQUENCE fence",
        // The last four columns are what the owner has reported about the living session, in this number of reports.
        """
        CREATE TABLE session_owner (
            uid bigint NOT NULL,
            name text COLLATE "C" NOT NULL,
            boot text NOT NULL,
            fence bigint NOT NULL,
            reports bigint NOT NULL DEFAULT 0,
            attached integer,
            instances integer,
            created text,
            expires text,
            PRIMARY KEY (uid, name)
        )
        """,
        "CREATE INDEX session_owner_by_boot ON session_owner (boot)",
    ]

    private static let sessions = [
        """
        CREATE TABLE session (
            session bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            uid bigint NOT NULL,
            name text COLLATE "C" NOT NULL,
            used_at bigint NOT NULL,
            UNIQUE (uid, name)
        )
        """,
        "CREATE INDEX session_by_use ON session (used_at)",
        """
        CREATE TABLE session_instance (
            session bigint NOT NULL REFERENCES session ON DELETE CASCADE,
            position integer NOT NULL,
            id text COLLATE "C" NOT NULL,
            type text NOT NULL,
            arguments bytea,
            PRIMARY KEY (session, position)
        )
        """,
        """
        CREATE TABLE session_value (
            session bigint NOT NULL REFERENCES session ON DELETE CASCADE,
            owner text COLLATE "C" NOT NULL,
            name text COLLATE "C" NOT NULL,
            text bytea NOT NULL,
            PRIMARY KEY (session, owner, name)
        )
        """,
    ]

    private static let accounts = [
        """
        CREATE TABLE account (
            name bytea PRIMARY KEY,
            nickname bytea,
            balance text NOT NULL,
            coupons text NOT NULL,
            parameters text NOT NULL,
            salt bytea NOT NULL,
            hash bytea NOT NULL
        )
        """,
        """
        CREATE TABLE vault (
            uid bigint NOT NULL,
            provider text NOT NULL,
            key_id text NOT NULL,
            sealed bytea NOT NULL,
            PRIMARY KEY (uid, provider)
        )
        """,
        """
        CREATE TABLE vault_key (
            key_id text PRIMARY KEY,
            origin text NOT NULL
        )
        """,
        // Who refreshes a token, so that no two nodes do it at once.
        """
        CREATE TABLE token_refresh (
            uid bigint NOT NULL,
            provider text NOT NULL,
            boot text NOT NULL,
            until timestamptz NOT NULL,
            PRIMARY KEY (uid, provider)
        )
        """,
        """
        CREATE TABLE cache (
            uid bigint PRIMARY KEY,
            value bytea NOT NULL,
            etag bytea,
            fetched_at bigint NOT NULL,
            used_at bigint NOT NULL,
            bytes bigint NOT NULL
        )
        """,
        "CREATE INDEX cache_by_use ON cache (used_at) INCLUDE (bytes)",
        "CREATE INDEX cache_by_age ON cache (fetched_at)",
    ]

    private static let outbox = [
        // `boot` has claimed an item that is being sent. `claim` is the name of the claim.
        """
        CREATE TABLE outbox (
            position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            id text NOT NULL UNIQUE,
            uid bigint NOT NULL,
            text bytea NOT NULL,
            status text NOT NULL CHECK (status IN ('queued', 'sending', 'sent', 'failed')),
            attempts integer NOT NULL DEFAULT 0,
            problem bytea,
            boot text,
            claim text,
            created_at bigint NOT NULL DEFAULT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint,
            sent_order bigint,
            CHECK ((status = 'sending') = (boot IS NOT NULL))
        )
        """,
        "CREATE SEQUENCE sent_order",
        "CREATE INDEX outbox_by_status ON outbox (uid, status, position)",
        "CREATE INDEX outbox_by_sending ON outbox (uid, sent_order) WHERE sent_order IS NOT NULL",
        "CREATE INDEX outbox_by_claim ON outbox (boot) WHERE boot IS NOT NULL",
        // The unsent items of a user. An addition locks the row, so positions are in the order of the commits.
        """
        CREATE TABLE outbox_total (
            uid bigint PRIMARY KEY,
            items bigint NOT NULL,
            bytes bigint NOT NULL
        )
        """,
    ]

    private static let values = [
        """
        CREATE TABLE lasting_value (
            uid bigint NOT NULL,
            owner text COLLATE "C" NOT NULL,
            name text COLLATE "C" NOT NULL,
            text bytea NOT NULL,
            PRIMARY KEY (uid, owner, name)
        )
        """,
        // The number of changes of a user's data. A transaction that changes the data raises it.
        """
        CREATE TABLE change (
            uid bigint NOT NULL,
            topic text NOT NULL,
            version bigint NOT NULL,
            PRIMARY KEY (uid, topic)
        )
        """,
    ]
}

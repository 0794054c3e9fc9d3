/// The changes of the second version.
///
/// - The table `clock` keeps the time by which ages are measured (`StoreClock`). Former times were times of day, which may
///   have been wrong. All ages begin anew, and sessions keep their order.
/// - Calls with a retry key are removed, of whose params a digest without a key was saved.
extension PostgresSchema {
    static let version2 = ages + ["DELETE FROM session_value WHERE starts_with(name, E'\\x01key ')"]

    private static let ages = [
        "CREATE TABLE clock (time bigint NOT NULL)",
        "INSERT INTO clock SELECT coalesce(max(used_at), 0) FROM session",
        """
        UPDATE session s SET used_at = (SELECT time FROM clock) - later.number FROM (
            SELECT session, row_number() OVER (ORDER BY used_at DESC, session DESC) - 1 AS number FROM session
        ) later WHERE later.session = s.session
        """,
        "ALTER TABLE cache ADD COLUMN stored_at bigint NOT NULL DEFAULT 0",
        "UPDATE cache SET stored_at = (SELECT time FROM clock)",
        "DROP INDEX cache_by_age",
        "CREATE INDEX cache_by_storing ON cache (stored_at)",
        "UPDATE outbox SET created_at = (SELECT time FROM clock)",
    ]
}

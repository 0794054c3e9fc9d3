import Logging

/// Warnings about who can read or change the data on its way to the database, and the hints of nodes there.
enum DatabaseTrust {
    static func check(_ pool: ConnectionPool, logger: Logger) async throws {
        let (settings, label) = (pool.settings, pool.settings.label)
        let rows = try await pool.rows(
            """
            SELECT current_database() AS name, has_database_privilege('public', current_database(), 'CONNECT') AS is_open
            """
        )
        if !settings.isPrivate {
            logger.warning(
                "The connection to the database may be read and changed on the network",
                metadata: ["database": "\(label)", "remedy": "Add sslmode=verify-full to store.url"]
            )
        }
        guard let row = rows.first, try row.truth("is_open") else { return }
        let name = try row.text("name")
        logger.warning(
            "Each role of the server may connect to the database, and can see which users are active",
            metadata: [
                "database": "\(label)",
                "remedy": "REVOKE CONNECT ON DATABASE \"\(name)\" FROM PUBLIC",
            ]
        )
    }
}

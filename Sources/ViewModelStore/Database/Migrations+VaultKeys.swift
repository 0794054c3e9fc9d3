import GRDB

extension Migrations {
    /// Adds the origin of each key that encrypts tokens, which distinguishes a key that was not passed from a lost one.
    static func vaultKeys(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE vaultKey (
                    keyID TEXT NOT NULL PRIMARY KEY,
                    origin TEXT NOT NULL CHECK (origin IN ('configured', 'credential', 'own'))
                ) STRICT, WITHOUT ROWID;

                """
        )
    }
}

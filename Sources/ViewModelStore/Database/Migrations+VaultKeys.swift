import GRDB

extension Migrations {
    /// Says where each key was kept that tokens are encrypted with, so that a missing key can be told from a lost one.
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

import GRDB

/// The steps from an empty file to what this version writes; each is applied once and never changed after a release.
enum Migrations {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1", migrate: firstVersion)
        return migrator
    }
}

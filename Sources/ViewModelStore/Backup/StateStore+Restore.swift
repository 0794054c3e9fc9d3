import GRDB
import Glibc
package import ViewModelStorage

package struct RestoredState: Sendable {
    package let path: String
    /// The path at which the former database is kept, or nil if there was none.
    package let formerPath: String?
    /// Names a key of the vault that saved tokens need and that is missing or another one; nil if all are in place.
    package let neededKey: String?
}

extension StateStore {
    /// Puts a backup in the place of the database of a state directory.
    ///
    /// The caller must hold the lock on the directory. The backup is copied and checked before anything changes. The new
    /// database then replaces the former one in one step, so that a crash leaves one of them. The former one is kept
    /// under another name. An error changes nothing, unless its text says that the database is in place and a power
    /// failure may undo this.
    ///
    /// - Throws: `StoreError`: a file that is damaged, that is no database of a daemon, or that a newer version wrote; a
    ///   directory that cannot be written to; a former database that another process has open.
    package static func restore(
        _ backup: BackupFile,
        into configuration: StateStoreConfiguration
    ) async throws(StoreError) -> RestoredState {
        try await Blocking.run { () throws(StoreError) in
            let path = configuration.path
            let draft = FormerDatabase.draftPath(path)
            FormerDatabase.removeLeftovers(of: path)
            defer { FormerDatabase.removeAll(of: draft) }
            try backup.copy(to: draft)
            let keys = try check(draft, copiedFrom: backup.path)
            let former = try FormerDatabase.keep(path, now: configuration.clock())
            do throws(StoreError) {
                try PrivateFile.move(draft, to: path)
            } catch {
                former?.removeUnlessReplaced(path)
                throw error
            }
            return RestoredState(
                path: path,
                formerPath: former?.path,
                neededKey: neededKey(keys, former, configuration)
            )
        }
    }

    /// Checks the copy of a backup.
    ///
    /// - Returns: The keys that its tokens need.
    private static func check(
        _ path: String,
        copiedFrom backup: String
    ) throws(StoreError) -> [VaultKeyRecord] {
        let wrong = "Nothing was changed. Name a file that the command backup has written"
        func damaged(_ damage: String) -> StoreError {
            StoreError(.damaged, backup, "is damaged (\(damage)). Nothing was changed. Restore another backup")
        }
        do {
            return try read(path) { db in
                guard try Migrations.isPresent(in: db) else {
                    throw StoreError(.damaged, backup, "is no database of this program. \(wrong)")
                }
                if let damage = try damage(db) { throw damaged(damage) }
                guard try !Migrations.migrator.hasBeenSuperseded(db) else { throw StoreError.newerFile(backup) }
                guard try Migrations.areIntact(in: db) else {
                    throw StoreError(.damaged, backup, "has other tables than this program creates. \(wrong)")
                }
                return try SQLiteVault.keys(db)
            }
        } catch let error as DatabaseError where [.SQLITE_NOTADB, .SQLITE_ERROR].contains(error.resultCode) {
            throw StoreError(.damaged, backup, "is no database of this program. \(wrong)")
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            throw damaged("SQLite \(error.extendedResultCode.rawValue)")
        } catch {
            throw StoreError(error, path: backup)
        }
    }

    /// Names a key that tokens need and that is not in place.
    ///
    /// Only systemd can read a credential. If the former tokens needed the same one, it is in place.
    private static func neededKey(
        _ keys: [VaultKeyRecord],
        _ former: FormerDatabase?,
        _ configuration: StateStoreConfiguration
    ) -> String? {
        let present = VaultKeySource(configuration).presentKeyID()
        for key in keys where key.id != present {
            switch key.origin {
            case .credential:
                if former?.credentialKeys.contains(key.id) == true { continue }
                return "the systemd credential \(configuration.program).key"
            case .configured: return configuration.keyFile ?? "the file of vault.keyFile"
            case .own, nil: return "\(configuration.directory)/vault.key"
            }
        }
        return nil
    }
}

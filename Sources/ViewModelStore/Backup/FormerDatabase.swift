import FoundationEssentials
import GRDB
import ViewModelStorage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The database that a restore replaces, kept under another name.
struct FormerDatabase {
    /// The path at which it is kept.
    let path: String
    /// The ids of the keys that its tokens needed, as far as they came from a systemd credential.
    let credentialKeys: Set<String>

    /// Gives a database a second name, under which it stays.
    ///
    /// The kept database is one file, which a restore accepts. Only a damaged one keeps its log beside it.
    ///
    /// - Returns: The kept database, or nil if there is no file at the path.
    /// - Throws: `StoreError`, for example if another process has the database open. The database then has all its
    ///   content, and no second name.
    static func keep(_ path: String, now: Date) throws(StoreError) -> FormerDatabase? {
        let time = now.ISO8601Format().replacing(":", with: "")
        var former = "\(path).before-restore-\(time)"
        guard access(path, F_OK) == 0 else {
            // The database may have been moved away without its log.
            if PrivateFile.hasContent("\(path)-wal"), rename("\(path)-wal", "\(former)-wal") != 0 {
                throw .notWritable("\(path)-wal", errno: errno)
            }
            removeLog(of: path)
            return nil
        }
        var number = 1
        while link(path, former) != 0 {
            guard errno == EEXIST else { throw .notWritable(former, errno: errno) }
            number += 1
            former = "\(path).before-restore-\(time)-\(number)"
        }
        do {
            let keys = try includeLog(of: path, keptAs: former)
            try PrivateFile.synchronize(directory: PrivateFile.directory(of: path))
            removeLog(of: path)
            return FormerDatabase(path: former, credentialKeys: keys)
        } catch {
            unlink(former)
            if access("\(path)-wal", F_OK) == 0 { unlink("\(former)-wal") }
            throw error
        }
    }

    /// Removes the second name if the database still has its first one and needs no log.
    ///
    /// SQLite would keep a log for each of two names.
    func removeUnlessReplaced(_ first: String) {
        var (now, kept) = (stat(), stat())
        guard stat(first, &now) == 0, stat(path, &kept) == 0, now.st_ino == kept.st_ino, now.st_dev == kept.st_dev,
            access("\(path)-wal", F_OK) != 0
        else { return }
        unlink(path)
    }

    /// Moves the log that a killed daemon has left into the database.
    ///
    /// - Returns: ``credentialKeys``
    private static func includeLog(of path: String, keptAs former: String) throws(StoreError) -> Set<String> {
        let log = "\(former)-wal"
        // SQLite removes the log of a file that it takes for an empty database, so the log has its second name first.
        if PrivateFile.hasContent("\(path)-wal") {
            guard link("\(path)-wal", log) == 0 else { throw .notWritable(log, errno: errno) }
        }
        do {
            let file = try DatabaseQueue(path: path)
            defer { try? file.close() }
            let keys = try file.writeWithoutTransaction { db in
                try db.checkpoint(.truncate)
                // This fails while another process has the file open. Such a process would remove the log of the restored
                // database when it ends.
                try db.execute(sql: "PRAGMA journal_mode = DELETE")
                // A database of another program has no such table.
                return try? String.fetchSet(db, sql: "SELECT keyID FROM vaultKey WHERE origin = 'credential'")
            }
            if !PrivateFile.hasContent(log) { unlink(log) }
            return keys ?? []
        } catch let error as DatabaseError where [.SQLITE_NOTADB, .SQLITE_CORRUPT].contains(error.resultCode) {
            return []
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Removes the log at a path, which SQLite would apply to the next database there.
    private static func removeLog(of path: String) {
        for suffix in ["-journal", "-wal", "-shm"] { unlink(path + suffix) }
    }
}

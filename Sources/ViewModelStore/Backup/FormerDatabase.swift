import FoundationEssentials
import GRDB
import Glibc
import UnixIO
import ViewModelStorage

/// The database that a restore replaces, kept under another name.
struct FormerDatabase {
    let path: String
    /// The ids of the keys that its tokens needed, as far as they came from a systemd credential.
    let credentialKeys: Set<String>

    /// Gives a database a second name, under which it stays.
    ///
    /// The kept database is one file, which a restore accepts. Only a damaged one keeps its log beside it. The caller
    /// replaces the first name next, because SQLite would keep a log for each of two names.
    ///
    /// - Returns: The kept database, or nil if there is no file at the path.
    /// - Throws: `StoreError`, for example if another process has the database open. The database then has all its
    ///   content, and no second name.
    static func keep(_ path: String, now: Date) throws(StoreError) -> FormerDatabase? {
        guard access(path.cPath, F_OK) == 0 else {
            try keepLog(of: path, now: now)
            return nil
        }
        let former = freePath(path, now)
        func forgetLog() {
            // SQLite has removed the log of an empty file, and this is the only one then.
            if PrivateFile.hasContent(path) { unlink("\(former)-wal".cPath) }
        }
        let keys: Set<String>
        do {
            keys = try includeLog(of: path, keptAs: former)
        } catch {
            forgetLog()
            throw error
        }
        guard link(path.cPath, former.cPath) == 0 else {
            let code = errno
            forgetLog()
            throw .notWritable(former, errno: code)
        }
        do {
            try PrivateFile.synchronize(directory: Paths.split(path).directory)
        } catch {
            unlink(former.cPath)
            forgetLog()
            throw error
        }
        removeLog(of: path)
        return FormerDatabase(path: former, credentialKeys: keys)
    }

    /// Gives the log of a missing database another name, because SQLite would apply it to the next database there.
    ///
    /// - Returns: The new name, or nil if there was no log.
    @discardableResult
    static func keepLog(of path: String, now: Date) throws(StoreError) -> String? {
        var kept: String?
        if PrivateFile.hasContent("\(path)-wal") {
            let log = freePath(path, now) + "-wal"
            guard rename("\(path)-wal".cPath, log.cPath) == 0 else { throw .notWritable("\(path)-wal", errno: errno) }
            kept = log
        }
        removeLog(of: path)
        return kept
    }

    /// Removes what a killed restore has left: the copy of the backup, and second names of the database and of its log.
    ///
    /// A program that opens a second name would undo what the daemon writes under the first one.
    static func removeLeftovers(of path: String) {
        removeAll(of: draftPath(path))
        let directory = Paths.split(path).directory
        let prefix = Paths.split(path).name + keptMark
        for name in Paths.entries(of: directory) ?? [] where name.hasPrefix(prefix) {
            let kept = "\(directory)/\(name)"
            if name.hasSuffix("-wal"), isSameFile(kept, "\(path)-wal") { unlink(kept.cPath) }
            if isSameFile(kept, path) { removeAll(of: kept) }
        }
    }

    /// Returns the path of the copy of a backup that replaces a database.
    static func draftPath(_ path: String) -> String { path + ".restored" }

    static func removeAll(of path: String) {
        unlink(path.cPath)
        removeLog(of: path)
    }

    private static let keptMark = ".before-restore-"

    /// Returns a path for a database that is kept, which neither a database nor a log has.
    private static func freePath(_ path: String, _ now: Date) -> String {
        let first = path + keptMark + now.ISO8601Format().replacing(":", with: "")
        var (free, number) = (first, 1)
        while access(free.cPath, F_OK) == 0 || access("\(free)-wal".cPath, F_OK) == 0 {
            number += 1
            free = "\(first)-\(number)"
        }
        return free
    }

    private static func isSameFile(_ first: String, _ second: String) -> Bool {
        stat(of: first).map { $0.identity == stat(of: second)?.identity } ?? false
    }

    /// Removes the second name if the database still has its first one and needs no log.
    ///
    /// SQLite would keep a log for each of two names.
    func removeUnlessReplaced(_ first: String) {
        if Self.isSameFile(first, path), access("\(path)-wal".cPath, F_OK) != 0 { unlink(path.cPath) }
    }

    /// Moves the log that a killed daemon has left into the database.
    ///
    /// - Returns: ``credentialKeys``
    private static func includeLog(of path: String, keptAs former: String) throws(StoreError) -> Set<String> {
        let log = "\(former)-wal"
        // SQLite removes the log of a file that it takes for an empty database, so the log has its second name first.
        if PrivateFile.hasContent("\(path)-wal") {
            guard link("\(path)-wal".cPath, log.cPath) == 0 else { throw .notWritable(log, errno: errno) }
        }
        do {
            let file = try DatabaseQueue.make(path)
            defer { try? file.close() }
            let keys = try file.writeWithoutTransaction { db in
                try db.checkpoint(.truncate)
                // This fails while another process has the file open. Such a process would remove the log of the restored
                // database when it ends.
                try db.execute(sql: "PRAGMA journal_mode = DELETE")
                // A database of another program has no such table.
                return try? String.fetchSet(db, sql: "SELECT keyID FROM vaultKey WHERE origin = 'credential'")
            }
            if !PrivateFile.hasContent(log) { unlink(log.cPath) }
            return keys ?? []
        } catch let error as DatabaseError where [.SQLITE_NOTADB, .SQLITE_CORRUPT].contains(error.resultCode) {
            return []
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Removes the log at a path, which SQLite would apply to the next database there.
    private static func removeLog(of path: String) {
        for suffix in ["-journal", "-wal", "-shm"] { unlink((path + suffix).cPath) }
    }
}

import GRDB
import Glibc
import UnixIO
package import ViewModelStorage

extension StateStore {
    /// Copies the database of a state directory to a file, also while a daemon uses it.
    ///
    /// The copy contains every write that had returned before the call, and no part of a later transaction. It is
    /// checked, and it gets its name when it is complete and durable. An error leaves no file and keeps an existing one,
    /// unless its text says that the file is in place and its name may not outlast a power failure. The key of the vault
    /// is not in the database.
    ///
    /// The call reads the database in one transaction. The daemon writes meanwhile, but it cannot empty the log of the
    /// database before the end.
    ///
    /// - Parameters:
    ///   - configuration: The state directory.
    ///   - path: The file, outside of the state directory. Its mode is 0600. If root writes, no other user may be able to
    ///     change a directory of the path. A FIFO, a device and an open descriptor get the bytes of the file.
    ///   - replaces: Whether an existing file is replaced.
    /// - Returns: The size of the file in bytes.
    /// - Throws: `StoreError`, which names the file and the remedy.
    package static func backUp(
        _ configuration: StateStoreConfiguration,
        to path: String,
        replaces: Bool
    ) async throws(StoreError) -> Int {
        try await Blocking.run { () throws(StoreError) in
            let source = try openSource(configuration)
            defer { try? source.close() }
            let stream = (try? OutputFile(path)).flatMap { $0.isStream ? $0 : nil }
            // SQLite writes at any offset of a file, so what is sent is made before.
            let temporary =
                "\(ProcessText.variables["TMPDIR"] ?? "/tmp")/viewmodeld-backup-\(UInt64.random(in: .min ... .max))"
            let path = stream == nil ? path : temporary
            let target = try BackupDirectory.check(path, stateDirectory: configuration.directory)
            let file = try DraftFile(target, replaces: replaces)
            let bytes: Int
            do throws(StoreError) {
                try copy(source, to: file)
                // Mark the copy as one without a log, which needs no second file to be read (sqlite.org/fileformat.html,
                // 1.3.3).
                try file.write([1, 1], at: 18)
                try check(file.draft, copiedFrom: configuration.path)
                if let stream {
                    defer { file.remove() }
                    return try file.send(to: stream)
                }
                bytes = try file.publish(replaces: replaces)
            } catch {
                file.remove()
                throw error
            }
            try PrivateFile.makeDurable(target)
            return bytes
        }
    }

    /// Throws if a state directory has no database, which opening the store would make.
    package static func requireDatabase(_ configuration: StateStoreConfiguration) throws(StoreError) {
        let path = configuration.path
        guard access(path.cPath, F_OK) == 0 else {
            let remedy =
                errno == EACCES
                ? "Run this command as the user of the daemon"
                : "Name the state directory of the daemon with --state-directory"
            throw StoreError(.failed, path, "cannot be read (\(SystemError.last)). \(remedy)")
        }
    }

    /// Opens the database that a daemon may use, and reads from it.
    private static func openSource(_ configuration: StateStoreConfiguration) throws(StoreError) -> DatabaseQueue {
        try requireDatabase(configuration)
        let path = configuration.path
        do {
            // A connection that may write removes the log if it is the last one. One that only reads would leave it.
            var settings = DatabaseFile.settings(configuration)
            settings.prepareDatabase { try $0.execute(sql: "PRAGMA query_only = ON") }
            let source = try DatabaseQueue.make(path, settings)
            do {
                guard try source.read({ try Migrations.isPresent(in: $0) }) else {
                    throw StoreError(
                        .damaged,
                        path,
                        """
                        is no database of this program, and was left as it is. Name the state directory of the daemon with \
                        --state-directory
                        """
                    )
                }
                return source
            } catch {
                try? source.close()
                throw error
            }
        } catch {
            throw StoreError(error, path: path)
        }
    }

    private static func copy(_ source: DatabaseQueue, to file: DraftFile) throws(StoreError) {
        do {
            var settings = GRDB.Configuration()
            settings.label = "viewmodeld.backup"
            settings.prepareDatabase { db in
                // An incomplete draft is never read, and it is synced once at the end.
                try db.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
            }
            let copy = try DatabaseQueue.make(file.draft, settings)
            defer { try? copy.close() }
            try source.backup(to: copy)
        } catch {
            throw StoreError(error, path: file.path)
        }
    }

    /// Throws if the copy is damaged, which means that the database is.
    private static func check(_ path: String, copiedFrom source: String) throws(StoreError) {
        do {
            if let damage = try read(path, damage) { throw StoreError.damaged(source, damage) }
        } catch {
            throw StoreError(error, path: source)
        }
    }

    /// Opens a copy that no other process uses, and reads from it.
    static func read<Result>(_ path: String, _ body: (Database) throws -> Result) throws -> Result {
        var settings = GRDB.Configuration()
        settings.readonly = true
        settings.label = "viewmodeld.backup"
        let copy = try DatabaseQueue.make(path, settings)
        defer { try? copy.close() }
        return try copy.read(body)
    }

    /// Returns what SQLite's whole check finds first, or nil for an intact database.
    static func damage(_ db: Database) throws -> String? {
        let result = try String.fetchOne(db, sql: "PRAGMA integrity_check(1)") ?? "no answer"
        return result == "ok" ? nil : result
    }
}

import GRDB

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The reason why the store cannot be opened, read or written.
///
/// Its text names the file and the remedy, and contains no secret.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of the error; later versions may add kinds.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The kind's name in logs.
        public let rawValue: String

        /// Creates a kind from its name in logs.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// A later version of the program wrote the file.
        ///
        /// The file stays unchanged.
        public static let newerFile = Kind(rawValue: "newerFile")
        /// The disk is full.
        ///
        /// The write was rolled back.
        public static let diskFull = Kind(rawValue: "diskFull")
        /// The directory cannot be created, or the directory or the file is not writable.
        public static let notWritable = Kind(rawValue: "notWritable")
        /// Another process held the file for longer than ``StateStoreConfiguration/busyTimeout``.
        public static let locked = Kind(rawValue: "locked")
        /// The file is damaged or not a database.
        ///
        /// It stays unchanged.
        public static let damaged = Kind(rawValue: "damaged")
        /// Another key encrypted the vault.
        ///
        /// Its rows stay unchanged.
        public static let wrongKey = Kind(rawValue: "wrongKey")
        /// The vault's key cannot be read, written or parsed, or other users can access its file.
        public static let unusableKey = Kind(rawValue: "unusableKey")
        /// The store is closed.
        public static let closed = Kind(rawValue: "closed")
        /// Any other error, such as an I/O error.
        public static let failed = Kind(rawValue: "failed")
    }

    /// The kind of the error.
    public let kind: Kind
    /// The path of the file or directory.
    public let path: String
    /// The error and its remedy, for people.
    public let description: String

    init(_ kind: Kind, _ path: String, _ description: String) {
        self.kind = kind
        self.path = path
        self.description = "\(path) \(description)"
    }

    /// The exit code of a daemon that cannot start because of this: 71 for damage, 78 for the vault's key, else 73.
    public var exitCode: Int32 {
        switch kind {
        case .damaged: 71
        case .wrongKey, .unusableKey: 78
        default: 73
        }
    }
}

/// An error: a column has another type than the schema defines.
struct UnexpectedColumn: Error {
    let name: String
}

extension StoreError {
    /// Maps an error that occurred while the file at `path` was used.
    init(_ error: any Error, path: String) {
        switch error {
        case let error as StoreError: self = error
        case let error as DatabaseError: self.init(error, path: path)
        case let error as UnexpectedColumn: self = .damaged(path, "column \(error.name)")
        default: self = StoreError(.failed, path, "could not be used: \(type(of: error))")
        }
    }

    static func damaged(_ path: String, _ what: String) -> StoreError {
        StoreError(
            .damaged,
            path,
            "is damaged (\(what)). It was left as it is: move it away, then put a backup in its place or start with nothing"
        )
    }

    static func notWritable(_ path: String, errno code: Int32) -> StoreError {
        if code == ENOSPC || code == EDQUOT { return .diskFull(path) }
        return notWritable(path, String(cString: strerror(code)))
    }

    /// Maps an error of SQLite.
    ///
    /// Only its code is kept, because the statement's arguments may be secret.
    private init(_ error: DatabaseError, path: String) {
        let text = "SQLite \(error.extendedResultCode.rawValue)"
        switch error.resultCode {
        case .SQLITE_FULL: self = .diskFull(path)
        case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM:
            self = Self.hasNoSpace(path) ? .diskFull(path) : .notWritable(path, text)
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            self = StoreError(
                .locked,
                path,
                "is locked by another process (\(text)). Stop the one that has it open, such as a second daemon or sqlite3"
            )
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .damaged(path, text)
        case .SQLITE_MISUSE: self = StoreError(.closed, path, "is closed")
        case .SQLITE_IOERR where Self.hasNoSpace(path): self = .diskFull(path)
        default: self = StoreError(.failed, path, "could not be used (\(text): \(error.resultCode)). Look at the disk")
        }
    }

    static func diskFull(_ path: String) -> StoreError {
        StoreError(.diskFull, path, "could not be written: the disk is full. Free some space; nothing was lost")
    }

    private static func notWritable(_ path: String, _ reason: String) -> StoreError {
        StoreError(
            .notWritable,
            path,
            "cannot be written (\(reason)). It must exist, belong to the daemon's user and be on a writable file system"
        )
    }

    private static func hasNoSpace(_ path: String) -> Bool {
        var status = statvfs()
        return statvfs(PrivateFile.directory(of: path), &status) == 0 && status.f_bavail == 0
    }
}

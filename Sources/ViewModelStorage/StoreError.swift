import Glibc
import UnixIO
import ViewModelHost

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
        /// The disk reported an error.
        public static let diskFailed = Kind(rawValue: "diskFailed")
        /// Another process locked the file for longer than the busy timeout of the store.
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
        /// The database does not answer, or not in time.
        ///
        /// If the connection broke during a commit, the write may have taken effect.
        public static let unavailable = Kind(rawValue: "unavailable")
        /// The address, the password or the rights of the daemon in the database are wrong.
        public static let misconfigured = Kind(rawValue: "misconfigured")
        /// The store has records, and would mix them with those that are copied.
        public static let notEmpty = Kind(rawValue: "notEmpty")
        /// The store is closed.
        public static let closed = Kind(rawValue: "closed")
        /// Any other error.
        public static let failed = Kind(rawValue: "failed")
    }

    /// The kind of the error.
    public package(set) var kind: Kind
    /// The path of the file or directory, or the address of the database without a password.
    public let path: String
    /// The error and its remedy, for people.
    public let description: String
    /// Whether the call may have taken effect nevertheless.
    package var isOutcomeUnknown = false
    /// Whether the connections to the database had more to do than they could in time, so that nothing was sent.
    package var isOverload = false
    /// The code of the SQL standard (SQLSTATE) that the database reported.
    package var sqlState: String?
    /// The name of the constraint of the database that refused a row.
    package var constraint: String?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - kind: the kind.
    ///   - path: the path of the file or directory, or the address of the database.
    ///   - description: what is wrong with it and the remedy, as the end of a sentence that begins with `path`.
    package init(_ kind: Kind, _ path: String, _ description: String) {
        self.kind = kind
        self.path = path
        self.description = "\(path) \(description)"
    }

    /// Returns the error with a further sentence in its text.
    package func adding(_ sentence: String) -> StoreError {
        StoreError(kind, path, "\(description.dropFirst(path.count + 1)). \(sentence)")
    }

    /// Whether the same call can succeed later, without a change of the program, its configuration or its data.
    ///
    /// The disk may have space again, another process may release the file, or the database may be back.
    public var isRetryable: Bool {
        isUnavailable || kind == .failed
    }

    /// Whether the reason is the disk, another process or the database, and neither the program nor its data.
    ///
    /// Clients receive -32000 `storeUnavailable`.
    package var isUnavailable: Bool {
        switch kind {
        case .diskFull, .notWritable, .diskFailed, .locked, .unavailable: true
        default: false
        }
    }

    /// The exit code of a daemon that cannot start because of this: 71 for damage and for a newer version's
    /// file, which a restart does not change, 78 for the vault's key and a wrong configuration, else 73.
    public var exitCode: Int32 {
        switch kind {
        case .damaged, .newerFile: 71
        case .wrongKey, .unusableKey, .misconfigured: 78
        default: 73
        }
    }
}

extension StoreError: StoreFailure {}

extension StoreError {
    /// The error for data that is not what the store has written.
    package static func damaged(_ path: String, _ what: String) -> StoreError {
        StoreError(
            .damaged,
            path,
            """
            is damaged (\(what)). It was left as it is. Restore a backup with the command restore, or move \(path)* away to \
            start with nothing
            """
        )
    }

    /// The error for the data of a later version.
    package static func newerFile(_ path: String) -> StoreError {
        StoreError(
            .newerFile,
            path,
            "was written by a newer version. Start that version, or put back the backup of before the update"
        )
    }

    /// The error for a file or directory of which a system call has set `errno` to `code`.
    package static func notWritable(_ path: String, errno code: Int32) -> StoreError {
        if code == ENOSPC || code == EDQUOT { return .diskFull(path) }
        return notWritable(path, "\(SystemError(code: code))")
    }

    /// The error for a store that has records where it should have none.
    package static func notEmpty(_ path: String, _ remedy: String) -> StoreError {
        StoreError(.notEmpty, path, "has records already, and stayed as it was. \(remedy)")
    }

    package static func diskFull(_ path: String) -> StoreError {
        StoreError(.diskFull, path, "could not be written: the disk is full. Free some space; nothing was lost")
    }

    /// The error for a file or directory that cannot be written for a reason.
    package static func notWritable(_ path: String, _ reason: String) -> StoreError {
        StoreError(
            .notWritable,
            path,
            "cannot be written (\(reason)). It must exist, belong to the daemon's user and be on a writable file system"
        )
    }
}

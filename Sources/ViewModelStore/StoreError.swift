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
        /// The directory does not exist, or the directory or the file is not writable.
        public static let notWritable = Kind(rawValue: "notWritable")
        /// Another process held the file for longer than the store's patience.
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

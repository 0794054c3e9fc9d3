/// Why state could not be opened, read or written.
///
/// Its text names the file and what to do about it, and holds no secret.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong; others may come with later versions.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The kind's name in logs.
        public let rawValue: String

        /// A kind by its name in logs.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The file was written by a later version of the program; it stays as it is.
        public static let newerFile = Kind(rawValue: "newerFile")
        /// There is no space left; nothing of the write was kept.
        public static let diskFull = Kind(rawValue: "diskFull")
        /// The directory does not exist, or it or the file cannot be written.
        public static let notWritable = Kind(rawValue: "notWritable")
        /// Another process holds the file for longer than the store's patience.
        public static let locked = Kind(rawValue: "locked")
        /// The file is damaged, or is no database at all; it stays as it is.
        public static let damaged = Kind(rawValue: "damaged")
        /// What the vault holds was encrypted with another key; it stays as it is.
        public static let wrongKey = Kind(rawValue: "wrongKey")
        /// The vault's key cannot be read, written or understood, or its file is open to others.
        public static let unusableKey = Kind(rawValue: "unusableKey")
        /// The store was closed.
        public static let closed = Kind(rawValue: "closed")
        /// Anything else, such as an error of the disk.
        public static let failed = Kind(rawValue: "failed")
    }

    /// What went wrong.
    public let kind: Kind
    /// The file or directory that it is about.
    public let path: String
    /// What happened and what to do about it.
    public let description: String

    init(_ kind: Kind, _ path: String, _ description: String) {
        self.kind = kind
        self.path = path
        self.description = "\(path) \(description)"
    }

    /// The exit code of a daemon that cannot start for this: 71 damaged, 78 the vault's key, else 73.
    public var exitCode: Int32 {
        switch kind {
        case .damaged: 71
        case .wrongKey, .unusableKey: 78
        default: 73
        }
    }
}

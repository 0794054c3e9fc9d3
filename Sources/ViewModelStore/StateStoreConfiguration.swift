package import FoundationEssentials

/// The paths and bounds of a store.
public struct StateStoreConfiguration: Sendable {
    /// The name of the store's file in its directory.
    package static let fileName = "viewmodeld.sqlite"

    /// The path of the state directory, which must exist.
    public var directory: String
    /// The path of the vault's key (`vault.keyFile`), which precedes all other sources; 32 bytes in base64.
    public var keyFile: String?
    /// The path of systemd's credentials.
    ///
    /// A credential named `viewmodeld.key` is the vault's key; in a daemon of another name, that name with `.key`.
    public var credentialsDirectory: String?
    /// The name of the daemon's program, for the credential and for the commands in errors.
    package var program = "viewmodeld"
    /// The maximum bytes of the cache: values, names and an estimated overhead for each entry.
    package var cacheMaximumBytes = 67_108_864
    /// The maximum age of a cached value.
    package var cacheMaximumAge = Duration.seconds(2_592_000)
    /// The maximum number of a user's unsent items.
    package var outboxItemsPerUser = 10_000
    /// The maximum bytes of the texts of a user's unsent items.
    package var outboxBytesPerUser = 67_108_864
    /// The maximum number of a user's saved sessions.
    ///
    /// The least recently used one is erased first.
    public var savedSessionsPerUser = 1000
    /// The maximum bytes of a saved session.
    ///
    /// A larger one is not saved.
    public var savedBytesPerSession = 1_048_576
    /// The time that a read or write waits for another process that holds the file.
    public var busyTimeout = Duration.seconds(5)
    /// The time that opening waits for such a process, for example a backup or an administrator's `sqlite3`.
    public var openTimeout = Duration.seconds(60)
    /// Returns the wall-clock time.
    package var clock: @Sendable () -> Date = { Date() }

    /// Creates the default configuration for a directory.
    ///
    /// The environment names the credentials directory.
    public init(directory: String, keyFile: String? = nil) {
        self.directory = directory
        self.keyFile = keyFile
        credentialsDirectory = ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"]
    }

    var path: String { "\(directory)/\(Self.fileName)" }
}

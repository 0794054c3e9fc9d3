public import FoundationEssentials

/// Where and how a store keeps things.
public struct StateStoreConfiguration: Sendable {
    /// The name of the store's file in its directory.
    public static let fileName = "viewmodeld.sqlite"

    /// The state directory, which exists.
    public var directory: String
    /// The file with the vault's key (`vault.keyFile`), which goes before the other places: 32 bytes in base64.
    public var keyFile: String?
    /// Where systemd puts credentials; one named `viewmodeld.key` is the vault's key.
    public var credentialsDirectory: String?
    /// How many bytes the cache may take, counting values, names and some overhead for each entry.
    public var cacheMaximumBytes = 67_108_864
    /// How old a cached value may become.
    public var cacheMaximumAge = Duration.seconds(2_592_000)
    /// How many items a user's outbox can have that are not sent.
    public var outboxItemsPerUser = 10_000
    /// How many bytes the texts of these items can have together.
    public var outboxBytesPerUser = 67_108_864
    /// How many sessions of a user are kept; the one that was used longest ago goes first.
    public var savedSessionsPerUser = 1000
    /// How many bytes are kept of a session; one that has more is not saved.
    public var savedBytesPerSession = 1_048_576
    /// How long to wait for another process that holds the file.
    public var lockPatience = Duration.seconds(5)
    /// How long opening waits for such a process, which may be a backup or an administrator's `sqlite3`.
    public var openingPatience = Duration.seconds(60)
    /// The time of day.
    public var clock: @Sendable () -> Date = { Date() }

    /// The defaults for a directory, with the credentials directory that the environment names.
    public init(directory: String, keyFile: String? = nil) {
        self.directory = directory
        self.keyFile = keyFile
        credentialsDirectory = ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"]
    }

    var path: String { "\(directory)/\(Self.fileName)" }
}

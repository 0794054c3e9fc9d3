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
    public var outboxUnsentLimit = 10_000
    /// How long to wait for another process that holds the file.
    public var lockPatience = Duration.seconds(5)
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

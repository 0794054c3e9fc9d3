package import FoundationEssentials
import UnixIO
package import ViewModelStorage

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
    /// Whether the daemon keeps tokens, so that the vault's key is read, and created if it is missing.
    package var hasVault = true
    /// The name of the daemon's program, for the credential and for the commands in errors.
    package var program = "viewmodeld"
    /// The bounds of cache, outboxes and saved sessions.
    package var bounds = StoreBounds()
    /// The time that a read or write waits for another process that holds the file.
    public var busyTimeout = Duration.seconds(5)
    /// The time that opening waits for such a process, for example a backup or an administrator's `sqlite3`.
    public var openTimeout = Duration.seconds(60)
    /// Returns the wall-clock time.
    package var clock: @Sendable () -> Date = { Date() }
    /// Returns the time for ages.
    package var uptime = StoreClock.uptime

    /// Creates the default configuration for a directory.
    ///
    /// The environment names the credentials directory.
    public init(directory: String, keyFile: String? = nil) {
        self.directory = directory
        self.keyFile = keyFile
        credentialsDirectory = ProcessText.variables["CREDENTIALS_DIRECTORY"]
    }

    var path: String { "\(directory)/\(Self.fileName)" }
}

public import Logging
package import ViewModelHost
public import ViewModelKit

extension DaemonConfiguration {
    /// The keys of `socket`.
    @Schemable
    package struct Socket: ConfigurationSection {
        package static let section = "socket"
        package static let isLive = false

        /// The path of the socket, at most 107 bytes.
        ///
        /// The default is $XDG_RUNTIME_DIR/viewmodeld/viewmodeld.sock, for root /run/viewmodeld/viewmodeld.sock. A
        /// socket that systemd passes takes precedence. The daemon creates a missing directory with mode 0700.
        package var path: FormText<AbsolutePath>?
        /// The mode of the socket.
        ///
        /// A user who may write to the socket may open a connection; "access" decides about the rest.
        package var mode: FileMode = FileMode(0o600)
        /// The group of the socket, by name or number.
        ///
        /// The default is the group of the daemon's process.
        package var group: GroupReference?

        package init() {}
    }

    /// The keys of `log`.
    @Schemable
    package struct Log: ConfigurationSection {
        package static let section = "log"

        /// The least severity that is logged.
        package var level: Logger.Level = .info
        /// The form of a log record on the standard error.
        ///
        /// "auto": the journal's form under systemd, else text. "json": an object with time, level, message and
        /// metadata. "text": a line for people.
        package var format: LogFormat = .auto

        package init() {}
    }
}

/// The key `access`.
@Schemable
struct AccessSettings: ConfigurationSection {
    static let section = ""

    /// The users and groups that may connect, each with a scope.
    ///
    /// The user that the daemon runs as, and root, always have the scope "admin". "observe": attach, read, bind,
    /// discover. "act": also inputs, actions, opening and closing. "admin": also the sessions of other users.
    /// "delegate", for a front such as the gateway: only to act for people without an account here.
    /// Example:
    ///
    /// [{user: alice, scope: admin}, {group: staff, scope: observe}]
    var access: [AccessRule] = []
}

/// The key of `vault`, of the features that need the vault's key.
@Schemable
package struct VaultSettings: ConfigurationSection {
    package static let section = "vault"
    package static let isLive = false

    /// The file with the vault key, which encrypts saved tokens: 32 bytes in base64.
    ///
    /// The default is the systemd credential viewmodeld.key, else vault.key in the state directory. The daemon creates
    /// vault.key at its first start.
    package var keyFile: FormText<SecretPath>?

    package init() {}
}

extension HostConfiguration.Limits: ConfigurationSection {
    package static let section = "limits"
}

extension HostConfiguration.Session: ConfigurationSection {
    package static let section = "session"
}

extension HostConfiguration.Shutdown: ConfigurationSection {
    package static let section = "shutdown"
}

extension Logger.Level: Schemable {}

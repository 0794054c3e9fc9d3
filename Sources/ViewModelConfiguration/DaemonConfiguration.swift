package import JSONRPC
package import Logging
package import ViewModelHost

/// The daemon's settings.
///
/// The properties are named after the keys and hold the defaults.
///
/// ``ConfigurationKey/all`` defines the valid values.
package struct DaemonConfiguration: Equatable, Sendable {
    /// The keys of `socket`.
    package struct Socket: Equatable, Sendable {
        /// The path to listen on.
        ///
        /// Nil selects the default in the runtime directory of the user or the system.
        package var path: String?
        package var mode = FileMode(0o600)
        package var group: GroupReference?
    }

    /// The keys of `log`.
    package struct Log: Equatable, Sendable {
        package var level = Logger.Level.info
        package var format = LogFormat.auto
    }

    /// The keys of `account`.
    package struct Account: Equatable, Sendable {
        package var provider = AccountProviderKind.local
        /// An `http` or `https` address.
        ///
        /// Not nil if the provider is ``AccountProviderKind/http``.
        package var url: String?
        package var timeoutSeconds = 10
        package var oauth = OAuth()
    }

    /// The keys of `account.oauth`.
    package struct OAuth: Equatable, Sendable {
        /// An `http` or `https` address.
        ///
        /// Not nil if the provider is ``AccountProviderKind/oauth``.
        package var issuer: String?
        /// Not nil if the provider is ``AccountProviderKind/oauth``.
        package var clientId: String?
        package var clientSecretFile: String?
        /// The requested scopes, separated by single spaces (RFC 6749, section 3.3).
        package var scopes = "openid profile offline_access"
        package var passwordGrant = false
    }

    /// The keys of `vault`.
    package struct Vault: Equatable, Sendable {
        /// The path of the key.
        ///
        /// Nil selects the systemd credential, else the file in the state directory.
        package var keyFile: String?
    }

    /// The keys of `store`.
    package struct Store: Equatable, Sendable {
        /// The address of a PostgreSQL database, without a password.
        ///
        /// Nil selects SQLite in the state directory.
        package var url: String?
        /// The path of the file with the database's password.
        ///
        /// Nil selects the systemd credential, else none.
        package var passwordFile: String?
        package var leaseSeconds = 10
    }

    /// The keys of `node`.
    package struct Node: Equatable, Sendable {
        /// The name of this daemon among those with the same database.
        ///
        /// Nil selects the name of the host.
        package var name: String?
    }

    /// The keys of `cache`.
    package struct Cache: Equatable, Sendable {
        package var maximumBytes = 64 << 20
        package var maximumAgeSeconds = 30 * 86_400
    }

    /// The keys of `gateway`, which `viewmodel-gateway` reads.
    package struct Gateway: Equatable, Sendable {
        /// The keys of `gateway.tls`.
        package struct TLS: Equatable, Sendable {
            /// The path of the certificate chain, in PEM.
            package var certificateFile: String?
            /// The path of the certificate's key, in PEM.
            package var keyFile: String?
        }

        /// The keys of `gateway.limits`.
        package struct Limits: Equatable, Sendable {
            package var connections = 4096
            package var messageBytes = 1 << 20
            package var replyBytes = 16 << 20
            package var headerBytes = 16 << 10
            package var headerSeconds = 10
        }

        package var listen = ListenAddress(host: "127.0.0.1", port: 8417)
        package var mode = FileMode(0o600)
        package var group: GroupReference?
        /// The hosts that requests may name besides those of ``listen``, separated by single spaces.
        package var hosts = ""
        /// The allowed origins of other sites, separated by single spaces.
        package var origins = ""
        package var control = false
        package var otherUsers = false
        package var cookieSeconds = 43_200
        package var idleSeconds = 90
        package var pingSeconds = 20
        package var tls = TLS()
        package var limits = Limits()
    }

    package var socket = Socket()
    package var gateway = Gateway()
    package var lab = false
    package var log = Log()
    /// The keys of `limits`, `session` and `shutdown`, and `access`.
    package var host = HostConfiguration()
    package var account = Account()
    package var vault = Vault()
    package var store = Store()
    package var node = Node()
    package var cache = Cache()
    /// The values of the keys that the daemon's author adds, by their names.
    ///
    /// Keys that no source has are missing.
    package var own: JSONObject = [:]

    /// Creates the default configuration.
    package init() {}
}

/// The changed keys of a reload.
package struct ConfigurationChanges: Equatable, Sendable {
    /// The names of the keys whose new values are in force.
    package var applied: [String] = []
    /// The names of the keys whose new values need a restart.
    package var waiting: [String] = []
}

extension DaemonConfiguration {
    /// Copies the live keys of another configuration, and returns the names of all keys that differ.
    package mutating func adopt(_ other: DaemonConfiguration) -> ConfigurationChanges {
        var changes = ConfigurationChanges()
        for key in ConfigurationKey.all where key.adopt(from: other, into: &self) {
            if key.isLive {
                changes.applied.append(key.name)
            } else {
                changes.waiting.append(key.name)
            }
        }
        changes.waiting += Set(own.keys).union(other.own.keys).filter { own[$0] != other.own[$0] }.sorted()
        return changes
    }
}

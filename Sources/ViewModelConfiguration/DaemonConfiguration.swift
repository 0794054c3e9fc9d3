package import JSONRPC
package import Logging
package import ViewModelHost

/// The daemon's settings.
///
/// The properties are named after the keys and hold the defaults.
///
/// The keys of the program define the valid values (``DaemonProgram``).
package struct DaemonConfiguration: Equatable, Sendable {
    package struct Socket: Equatable, Sendable {
        /// The path to listen on.
        ///
        /// Nil selects the default in the runtime directory of the user or the system.
        package var path: String?
        package var mode = FileMode(0o600)
        package var group: GroupReference?
    }

    package struct Log: Equatable, Sendable {
        package var level = Logger.Level.info
        package var format = LogFormat.auto
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
    package var log = Log()
    /// The keys of `limits`, `session` and `shutdown`, and `access`.
    package var host = HostConfiguration()
    /// The values of the keys that the daemon's author adds, by their names.
    ///
    /// Keys that no source has are missing.
    package var own: JSONObject = [:]
    private var sections = ConfigurationSections()

    /// The keys that a feature brings.
    package subscript<Section: ConfigurationSection>(section: Section.Type) -> Section {
        get { sections[section] }
        set { sections[section] = newValue }
    }

    package init() {}
}

extension DaemonConfiguration {
    /// Copies the live keys of another configuration of a program.
    ///
    /// - Returns: the names of the keys that differ: those whose new values are in force, and those that need a restart.
    package mutating func adopt(
        _ other: DaemonConfiguration,
        of program: DaemonProgram
    ) -> (applied: [String], waiting: [String]) {
        var changes: (applied: [String], waiting: [String]) = ([], [])
        for key in program.configurationKeys where key.adopt(other, &self) {
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

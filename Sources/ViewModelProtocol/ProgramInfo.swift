/// The program that attaches to a session, for logs and listings only (protocol, section 4).
public struct ClientInfo: Codable, Hashable, Sendable {
    /// The program's name.
    public var name: String
    /// The program's version, if it sends one.
    public var version: String?

    /// Creates the description of a program.
    public init(name: String, version: String? = nil) {
        self.name = name
        self.version = version
    }
}

/// The daemon's name and version, as in the reply to ``SessionAttach``.
public struct DaemonInfo: Codable, Hashable, Sendable {
    /// The program's name: `viewmodeld`, or the name of a program that uses `ViewModelServer`.
    public var name: String
    /// The program's version.
    public var version: String

    package init(name: String, version: String) {
        self.name = name
        self.version = version
    }
}

/// The release that this module belongs to.
///
/// The daemon and the command line report the same release.
package enum Release {
    /// The release's version.
    package static let version = "1.0.0"
    /// The protocol version of the release.
    package static let `protocol` = 1
}

/// The daemon's name and version, as the reply to ``SessionAttach`` has them.
public struct DaemonInfo: Codable, Hashable, Sendable {
    /// The program's name, `viewmodeld` or that of an application of its kind.
    public var name: String
    /// The program's version.
    public var version: String

    private enum CodingKeys: CodingKey {
        case name, version
    }

    /// Names a daemon.
    public init(name: String, version: String) {
        self.name = name
        self.version = version
    }

    /// Reads a name and a version, and lets pass what a newer daemon may say beside them.
    public init(from decoder: any Decoder) throws {
        decoder.takeUnknownMembers()
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.name = try container.decode(String.self, forKey: .name)
        self.version = try container.decode(String.self, forKey: .version)
    }
}

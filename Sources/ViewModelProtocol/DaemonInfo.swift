/// The daemon's name and version, as in the reply to ``SessionAttach``.
public struct DaemonInfo: Codable, Hashable, Sendable {
    /// The program's name: `viewmodeld`, or the name of a program that uses `ViewModelServer`.
    public var name: String
    /// The program's version.
    public var version: String

    private enum CodingKeys: CodingKey {
        case name, version
    }

    /// Creates the description of a daemon.
    package init(name: String, version: String) {
        self.name = name
        self.version = version
    }

    /// Reads the description and ignores unknown members, which a newer daemon may send.
    public init(from decoder: any Decoder) throws {
        decoder.takeUnknownMembers()
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.name = try container.decode(String.self, forKey: .name)
        self.version = try container.decode(String.self, forKey: .version)
    }
}

/// The program that attaches to a session, for logs and listings only (protocol, section 4).
public struct ClientInfo: Codable, Hashable, Sendable {
    /// The program's name.
    public var name: String
    /// The program's version, if it sends one.
    public var version: String?

    private enum CodingKeys: CodingKey {
        case name, version
    }

    /// Creates the description of a program.
    public init(name: String, version: String? = nil) {
        self.name = name
        self.version = version
    }

    /// Writes the description without nil members.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(present: version, forKey: .version)
    }
}

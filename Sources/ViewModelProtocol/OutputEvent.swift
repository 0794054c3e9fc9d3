/// Something that happened once: an output of kind `event` and its value (protocol, section 7).
public struct OutputEvent: Codable, Equatable, Sendable {
    /// The output's name.
    public var output: String
    /// What happened.
    public var value: JSONValue

    private enum CodingKeys: CodingKey {
        case output, value
    }

    /// Creates an event.
    public init(output: String, value: JSONValue) {
        self.output = output
        self.value = value
    }

    /// Reads an event, and lets pass what a newer daemon may say beside it.
    public init(from decoder: any Decoder) throws {
        decoder.takeUnknownMembers()
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.output = try container.decode(String.self, forKey: .output)
        self.value = try container.decode(JSONValue.self, forKey: .value)
    }
}

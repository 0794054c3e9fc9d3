/// An event: the name of an output of kind `event`, and its value (protocol, section 7).
public struct OutputEvent: Codable, Equatable, Sendable {
    /// The output's name.
    public var output: String
    /// The event's value.
    public var value: JSONValue

    private enum CodingKeys: CodingKey {
        case output, value
    }

    /// Creates an event.
    public init(output: String, value: JSONValue) {
        self.output = output
        self.value = value
    }

    /// Reads an event and ignores unknown members, which a newer daemon may send.
    public init(from decoder: any Decoder) throws {
        decoder.takeUnknownMembers()
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.output = try container.decode(String.self, forKey: .output)
        self.value = try container.decode(JSONValue.self, forKey: .value)
    }

    static var schema: WireSchema {
        .object([.required("output", .string), .required("value", .any)])
    }
}

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
        decoder.acceptUnknownMembers()
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.output = try container.decode(String.self, forKey: .output)
        self.value = try container.decode(JSONValue.self, forKey: .value)
    }

    static var schema: WireSchema {
        .object([.required("output", .string), .required("value", .any)])
    }
}

/// The step of a client's picture, from which the client resumes a binding (protocol, section 7).
public struct Since: Codable, Hashable, Sendable {
    /// The epoch in which the step counts; opaque.
    public var epoch: String
    /// The step's number, 0 or more.
    public var seq: Int

    private enum CodingKeys: CodingKey {
        case epoch, seq
    }

    /// Creates a reference to a step of an epoch.
    public init(epoch: String, seq: Int) {
        self.epoch = epoch
        self.seq = seq
    }

    /// Reads a step; throws for a negative number.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.epoch = try container.decode(String.self, forKey: .epoch)
        self.seq = try container.decodeCount(forKey: .seq)
    }

    static var schema: WireSchema {
        .object([.required("epoch", .string), .required("seq", .count)])
    }
}

/// The rows of a list that a binding shows (protocol, section 7).
public struct Window: Codable, Hashable, Sendable {
    /// The index of the first row, 0 or more.
    ///
    /// An offset beyond the end gives no rows.
    public var offset: Int
    /// The maximum number of rows, 0 or more.
    public var limit: Int

    private enum CodingKeys: CodingKey {
        case offset, limit
    }

    /// Creates a window.
    ///
    /// The daemon rejects negative numbers.
    public init(offset: Int, limit: Int) {
        self.offset = offset
        self.limit = limit
    }

    /// Reads a window; throws for negative numbers.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.offset = try container.decodeCount(forKey: .offset)
        self.limit = try container.decodeCount(forKey: .limit)
    }

    static var schema: WireSchema {
        .object([.required("offset", .count), .required("limit", .count)])
    }
}

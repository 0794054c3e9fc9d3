/// What any call may say about itself: the member `_meta` of params given by name (protocol, section 6).
///
/// Neither the object nor a member of it may be null, and there are no other members: a wrong `_meta` is refused
/// with -32602 even where a call makes no use of it.
public struct Meta: Codable, Hashable, Sendable {
    /// The name of the params' member.
    public static let member = "_meta"

    /// The milliseconds, counted from receipt, after which the action is cancelled and answered -32008.
    public var deadline: Int?
    /// The longest retry key, in bytes of UTF-8.
    public static let longestKey = 128

    /// Makes a retry safe: a call with a key that was seen within ten minutes gets the first call's outcome.
    ///
    /// At most ``longestKey`` bytes.
    public var key: String?

    private enum CodingKeys: CodingKey {
        case deadline, key
    }

    /// Creates a note on a call.
    public init(deadline: Int? = nil, key: String? = nil) {
        self.deadline = deadline
        self.key = key
    }

    /// Reads a note, refuses a negative deadline, a key over ``longestKey`` bytes, and null.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.deadline = container.contains(.deadline) ? try container.decodeCount(forKey: .deadline) : nil
        self.key = container.contains(.key) ? try container.decode(String.self, forKey: .key) : nil
        if let key, key.utf8.count > Self.longestKey {
            throw ValueMismatch(
                path: "/key",
                expected: "a string of at most \(Self.longestKey) bytes",
                found: "one of \(key.utf8.count)"
            )
        }
    }

    /// Writes the note; what is nil is left out.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(present: deadline, forKey: .deadline)
        try container.encode(present: key, forKey: .key)
    }
}

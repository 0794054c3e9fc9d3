/// The options of a call: the member `_meta` of params that are given by name (protocol, section 6).
///
/// The object and its members must not be null, and it has no other members. The daemon answers an invalid `_meta` with
/// -32602, also for a call that ignores it.
public struct Meta: Codable, Hashable, Sendable {
    /// The name of the member in params.
    package static let member = "_meta"

    /// The milliseconds after the receipt of the call after which the daemon cancels the action and answers -32008.
    public var deadline: Int?
    /// The maximum length of a retry key, in bytes of UTF-8.
    package static let longestKey = 128

    /// The retry key, at most ``longestKey`` bytes.
    ///
    /// It makes a retry safe: if a call of the last ten minutes had the same key, the caller gets the outcome of that
    /// call.
    public var key: String?

    /// Creates the options of a call.
    public init(deadline: Int? = nil, key: String? = nil) {
        self.deadline = deadline
        self.key = key
    }

    /// Reads the options; throws for a negative deadline, a key above ``longestKey`` bytes, and null.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.deadline = container.contains(.deadline) ? try container.decode(Int.self, forKey: .deadline) : nil
        self.key = container.contains(.key) ? try container.decode(String.self, forKey: .key) : nil
        if let key, key.utf8.count > Self.longestKey {
            throw ValueMismatch(
                path: "/key",
                expected: "a string of at most \(Self.longestKey) bytes",
                found: "\(key.utf8.count) bytes"
            )
        }
    }
}

/// The reply to an input (protocol, section 6).
package struct InputReply: Codable, Equatable, Sendable {
    /// The step from which on the input's immediate effects are visible, in any instance of the session.
    package var seq: Int
    /// True while a frame of the sender's binding to the instance waits; nil otherwise.
    ///
    /// A frame waits for `minInterval`, or because the client does not read. Without a waiting frame the client's
    /// picture of the instance is up to date to ``seq`` when the reply arrives.
    package var held: Bool?

    package static var schema: WireSchema {
        .object(["seq": .count], optional: ["held": .boolean])
    }
}

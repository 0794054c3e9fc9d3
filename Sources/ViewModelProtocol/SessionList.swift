/// The method that lists the living named sessions of the caller's uid (protocol, section 4).
///
/// Sessions that are only saved are omitted. Those that live on other machines are included while the store that the
/// machines share can be reached. The error is -32005 for `all` from a caller without the scope `admin`.
public enum SessionList: ProtocolMethod {
    /// The method's name on the wire.
    public static let name = "session.list"

    /// The params: the users whose sessions are listed.
    public struct Params: Codable, Equatable, Sendable {
        /// True for the sessions of all users, for the scope `admin` only.
        ///
        /// The entries then have `uid`.
        public var all: Bool?

        /// Creates params.
        public init(all: Bool? = nil) {
            self.all = all
        }
    }

    /// The result: the sessions.
    public struct Result: Codable, Equatable, Sendable {
        /// The sessions, one entry each.
        public var sessions: [Entry]
    }

    /// A living session.
    public struct Entry: Codable, Equatable, Sendable {
        /// The session's name.
        public var session: String
        /// The number of attached connections.
        public var attached: Int
        /// The number of its instances.
        public var instances: Int
        /// The time of its creation, in RFC 3339.
        public var created: String
        /// The time at which it ends without a further attach, in RFC 3339; nil while a connection is attached.
        public var expires: String?
        /// The session's owner, in a list of all users' sessions.
        public var uid: UInt32?
        /// The machine on which the session lives; nil if it lives on the daemon's own.
        public var node: String?

        /// Writes the entry, with null for a nil `expires` and without a nil `uid` or `node`.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(session, forKey: .session)
            try container.encode(attached, forKey: .attached)
            try container.encode(instances, forKey: .instances)
            try container.encode(created, forKey: .created)
            try container.encode(expires, forKey: .expires)
            try container.encodeIfPresent(uid, forKey: .uid)
            try container.encodeIfPresent(node, forKey: .node)
        }
    }
}

extension SessionList: DescribedMethod {
    package static var summary: String {
        "Lists the living named sessions of the caller's user, or with `all` those of all users."
    }
    package static var scope: AccessScope { .observe }
    package static var errors: [ErrorCode] { [.invalidParams, .accessDenied] }
    package static var paramsSchema: WireSchema {
        .object(optional: ["all": .boolean])
    }
    package static var resultSchema: WireSchema {
        let entry = WireSchema.object(
            [
                "session": .string, "attached": .count, "instances": .count, "created": .time,
                "expires": .optional(.time),
            ],
            optional: ["uid": .uid, "node": .string]
        )
        return .object(["sessions": .array(entry)])
    }
}

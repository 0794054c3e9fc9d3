/// Lists the named sessions of the caller's uid that are alive (protocol, section 4).
///
/// Those that are only saved are left out. Errors: -32005 for `all` from a caller who is no admin.
public enum SessionList: ProtocolMethod {
    /// The method's name on the wire.
    public static let name = "session.list"

    /// Whose sessions.
    public struct Params: Codable, Equatable, Sendable {
        /// True for the sessions of all users, for the scope `admin` only; entries then have `uid`.
        public var all: Bool?

        private enum CodingKeys: CodingKey {
            case all
        }

        /// Creates params.
        public init(all: Bool? = nil) {
            self.all = all
        }

        /// Writes params; what is nil is left out.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(present: all, forKey: .all)
        }
    }

    /// The sessions.
    public struct Result: Codable, Equatable, Sendable {
        /// One entry a session.
        public var sessions: [Entry]

        /// Creates a result.
        public init(sessions: [Entry]) {
            self.sessions = sessions
        }
    }

    /// A living session.
    public struct Entry: Codable, Equatable, Sendable {
        /// The session's name.
        public var session: String
        /// How many connections are attached.
        public var attached: Int
        /// How many instances it owns.
        public var instances: Int
        /// When it came into being, as RFC 3339 has it.
        public var created: String
        /// When it ends unless somebody attaches, as RFC 3339 has it; null while somebody is attached.
        public var expires: String?
        /// Whose session it is, in a list of all users' sessions.
        public var uid: UInt32?

        private enum CodingKeys: CodingKey {
            case session, attached, instances, created, expires, uid
        }

        /// Creates an entry.
        public init(
            session: String,
            attached: Int,
            instances: Int,
            created: String,
            expires: String?,
            uid: UInt32? = nil
        ) {
            self.session = session
            self.attached = attached
            self.instances = instances
            self.created = created
            self.expires = expires
            self.uid = uid
        }

        /// Reads an entry, and lets pass what a newer daemon may say beside it.
        public init(from decoder: any Decoder) throws {
            decoder.takeUnknownMembers()
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.session = try container.decode(String.self, forKey: .session)
            self.attached = try container.decode(Int.self, forKey: .attached)
            self.instances = try container.decode(Int.self, forKey: .instances)
            self.created = try container.decode(String.self, forKey: .created)
            self.expires = try container.decodeIfPresent(String.self, forKey: .expires)
            self.uid = try container.decodeIfPresent(UInt32.self, forKey: .uid)
        }

        /// Writes the entry, an absent `expires` as null.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(session, forKey: .session)
            try container.encode(attached, forKey: .attached)
            try container.encode(instances, forKey: .instances)
            try container.encode(created, forKey: .created)
            try container.encode(expires, forKey: .expires)
            try container.encode(present: uid, forKey: .uid)
        }
    }
}

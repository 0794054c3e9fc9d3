/// Moves the connection to the session of a name (protocol, section 4).
///
/// The session is created when it does not exist, and what was saved of it is brought back. The connection's earlier
/// bindings end; an anonymous session that it leaves ends, too. Any number of connections may be attached to one
/// session: they see the same ViewModels, each with its own bindings.
///
/// Errors: -32602 for a name or a `linger` of the wrong shape, -32004 where `uid` has no session of that name, -32005
/// for `uid` from a caller who is no admin, -32006 where the uid has `limits.sessionsPerUser` sessions.
public enum SessionAttach: ProtocolMethod {
    /// The method's name on the wire.
    public static let name = "session.attach"

    /// Which session, and how long it stays.
    public struct Params: Codable, Equatable, Sendable {
        /// The session's name; a random one when left out.
        public var session: SessionName?
        /// The seconds, 0 or more, for which the session stays when no connection is attached.
        ///
        /// At most `session.maximumLingerSeconds`, more is cut to it. A living session keeps its own when left out.
        public var linger: Int?
        /// Who attaches, for logs and listings only.
        public var client: ClientInfo?
        /// Whose session, for the scope `admin` only; it lives or is saved, and nothing is created.
        public var uid: UInt32?

        private enum CodingKeys: CodingKey {
            case session, linger, client, uid
        }

        /// Creates params.
        public init(
            session: SessionName? = nil,
            linger: Int? = nil,
            client: ClientInfo? = nil,
            uid: UInt32? = nil
        ) {
            self.session = session
            self.linger = linger
            self.client = client
            self.uid = uid
        }

        /// Reads params and refuses a negative `linger`.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.session = try container.decodeIfPresent(SessionName.self, forKey: .session)
            self.linger = try container.decodeCountIfPresent(forKey: .linger)
            self.client = try container.decodeIfPresent(ClientInfo.self, forKey: .client)
            self.uid = try container.decodeIfPresent(UInt32.self, forKey: .uid)
        }

        /// Writes params; what is nil is left out.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(present: session, forKey: .session)
            try container.encode(present: linger, forKey: .linger)
            try container.encode(present: client, forKey: .client)
            try container.encode(present: uid, forKey: .uid)
        }
    }

    /// The session that the connection is attached to now.
    public struct Result: Codable, Equatable, Sendable {
        /// The session's name.
        public var session: String
        /// Whether the session was not alive before.
        public var created: Bool
        /// Whether saved state was brought back.
        public var restored: Bool
        /// The session's life; step numbers of two lives have nothing to do with each other.
        public var epoch: String
        /// The seconds for which the session stays when no connection is attached.
        public var linger: Int
        /// The daemon's name and version.
        public var daemon: DaemonInfo
        /// The protocol's version, 1.
        public var `protocol`: Int

        /// Creates a result.
        public init(
            session: String,
            created: Bool,
            restored: Bool,
            epoch: String,
            linger: Int,
            daemon: DaemonInfo,
            protocol: Int = Release.protocol
        ) {
            self.session = session
            self.created = created
            self.restored = restored
            self.epoch = epoch
            self.linger = linger
            self.daemon = daemon
            self.protocol = `protocol`
        }
    }
}

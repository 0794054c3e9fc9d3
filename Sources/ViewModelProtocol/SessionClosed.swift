/// Tells an attached connection that its session is gone (protocol, section 4).
///
/// After `closed` and `failed` the connection has a fresh anonymous session; after `stopping` the daemon closes it.
public enum SessionClosed: ProtocolNotification {
    /// The notification's name on the wire.
    public static let name = "session.closed"

    /// Why a session ended.
    public enum Reason: String, Codable, Sendable {
        /// Somebody closed it.
        case closed
        /// The daemon ends.
        case stopping
        /// A fault in a ViewModel's code ended the session; `incident` names its entry in the log.
        case failed
    }

    /// Which session, and why.
    public struct Params: Codable, Equatable, Sendable {
        /// The session's name; nil for the connection's anonymous session, of which only `failed` is told.
        public var session: String?
        /// Why it ended.
        public var reason: Reason
        /// The incident's id in the daemon's log, with the reason `failed`.
        public var incident: String?

        private enum CodingKeys: CodingKey {
            case session, reason, incident
        }

        /// Creates params.
        public init(session: String?, reason: Reason, incident: String? = nil) {
            self.session = session
            self.reason = reason
            self.incident = incident
        }

        /// Writes params, an absent session as null; an absent incident is left out.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(session, forKey: .session)
            try container.encode(reason, forKey: .reason)
            try container.encode(present: incident, forKey: .incident)
        }
    }
}

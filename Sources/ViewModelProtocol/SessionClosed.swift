/// Tells an attached connection that its session is gone (protocol, section 4).
///
/// After `closed` the connection has a fresh anonymous session; after `stopping` the daemon closes it.
public enum SessionClosed: ProtocolNotification {
    /// The notification's name on the wire.
    public static let name = "session.closed"

    /// Why a session ended.
    public enum Reason: String, Codable, Sendable {
        /// Somebody closed it.
        case closed
        /// The daemon ends.
        case stopping
    }

    /// Which session, and why.
    public struct Params: Codable, Equatable, Sendable {
        /// The session's name.
        public var session: String
        /// Why it ended.
        public var reason: Reason

        /// Creates params.
        public init(session: String, reason: Reason) {
            self.session = session
            self.reason = reason
        }
    }
}

/// Ends a session and erases what was saved of it (protocol, section 4).
///
/// Its actions are cancelled and its instances destroyed; other attached connections get ``SessionClosed`` and fall
/// back to a fresh anonymous session.
///
/// Errors: -32602 for a name of the wrong shape, -32004 for a session that neither lives nor is saved, -32005 for `uid`
/// from a caller who is no admin.
public enum SessionClose: ProtocolMethod {
    /// The method's name on the wire.
    public static let name = "session.close"

    /// Which session.
    public struct Params: Codable, Equatable, Sendable {
        /// The session's name; the connection's own when left out.
        public var session: SessionName?
        /// Whose session, for the scope `admin` only.
        public var uid: UInt32?

        private enum CodingKeys: CodingKey {
            case session, uid
        }

        /// Creates params.
        public init(session: SessionName? = nil, uid: UInt32? = nil) {
            self.session = session
            self.uid = uid
        }

        /// Writes params; what is nil is left out.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(present: session, forKey: .session)
            try container.encode(present: uid, forKey: .uid)
        }
    }

    /// Nothing.
    public typealias Result = NoResult
}

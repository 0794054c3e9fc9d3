/// The method that ends a session and erases its saved state (protocol, section 4).
///
/// The daemon cancels the session's actions and destroys its instances. The other attached connections get
/// ``SessionClosed`` and have no session until they attach again. A session that lives on another machine is closed there.
///
/// Errors:
/// - -32602 for a malformed name
/// - -32004 for a session that is neither living nor saved
/// - -32005 for `uid` from a caller without the scope `admin`
/// - -32010 without a name, if the connection's session has ended and the connection has not attached again
/// - -32000 `storeUnavailable` if the store cannot be reached or written
public enum SessionClose: ProtocolMethod {
    /// The method's name on the wire.
    public static let name = "session.close"

    /// The params: the session.
    public struct Params: Codable, Equatable, Sendable {
        /// The session's name, or nil for the session of the connection.
        public var session: SessionName?
        /// The owner of the session, for the scope `admin` only.
        public var uid: UInt32?

        /// Creates params.
        public init(session: SessionName? = nil, uid: UInt32? = nil) {
            self.session = session
            self.uid = uid
        }
    }

    /// The result is null.
    public typealias Result = NoResult
}

extension SessionClose: DescribedMethod {
    package static var summary: String {
        "Closes a session and erases its saved state. Without a name it closes the session of the connection."
    }
    package static var scope: AccessScope { .act }
    package static var errors: [ErrorCode] { [.invalidParams, .actionFailed, .notFound, .accessDenied, .sessionEnded] }
    package static var paramsSchema: WireSchema {
        .object(optional: ["session": .string, "uid": .uid])
    }
}

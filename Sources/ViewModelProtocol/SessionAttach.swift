/// The method that moves the connection to a named session (protocol, section 4).
///
/// The daemon creates the session if it does not exist and restores its saved state. The connection's earlier bindings
/// end, and an anonymous session that it leaves ends with them. Any number of connections may attach to one session.
/// They see the same instances, and each has its own bindings.
///
/// Errors:
/// - -32602 for a malformed name or `linger`
/// - -32004 if `uid` has no session of that name
/// - -32005 for `uid` from a caller without the scope `admin`, and for `move` from one with the scope `observe`
/// - -32006 if the uid has `limits.sessionsPerUser` sessions
/// - -32009 if connections are attached to the session on another machine, unless `move` is true
/// - -32000 `storeUnavailable` if the store that machines share cannot be reached
public enum SessionAttach: ProtocolMethod {
    /// The method's name on the wire.
    public static let name = "session.attach"

    /// The params: the session and its linger time.
    public struct Params: Codable, Equatable, Sendable {
        /// The session's name.
        ///
        /// Without it the daemon generates a random name.
        public var session: SessionName?
        /// The seconds, 0 or more, for which the session stays after its last connection has left.
        ///
        /// The daemon reduces larger values to `session.maximumLingerSeconds`. Without a value a living session keeps
        /// its own.
        public var linger: Int?
        /// The client program, for logs and listings only.
        public var client: ClientInfo?
        /// The owner of the session, for the scope `admin` only.
        ///
        /// The session must be living or saved; none is created.
        public var uid: UInt32?
        /// Whether to bring the session here from another machine although connections are attached to it there.
        ///
        /// They then get ``SessionClosed`` with the reason `moved`.
        public var move: Bool?

        /// Creates params.
        public init(
            session: SessionName? = nil,
            linger: Int? = nil,
            client: ClientInfo? = nil,
            uid: UInt32? = nil,
            move: Bool? = nil
        ) {
            self.session = session
            self.linger = linger
            self.client = client
            self.uid = uid
            self.move = move
        }
    }

    /// The session that the connection is attached to.
    public struct Result: Codable, Equatable, Sendable {
        /// The session's name.
        public var session: String
        /// Whether the session was not alive before this call.
        public var created: Bool
        /// Whether the daemon restored saved state.
        public var restored: Bool
        /// The session's epoch.
        ///
        /// Step numbers of two epochs cannot be compared.
        public var epoch: String
        /// The seconds for which the session stays after its last connection has left.
        public var linger: Int
        /// The daemon's name and version.
        public var daemon: DaemonInfo
        /// The protocol's version, 1.
        public var `protocol`: Int
        /// The hash of the daemon's contract (protocol, section 9).
        public var contract: String
        /// The names of optional parts of the protocol that the daemon has; empty from a daemon that does not send them.
        public var features: [String]
        /// The limits that a client can observe; nil from a daemon that does not send them.
        public var limits: Limits?

        /// The limits of a connection.
        public struct Limits: Codable, Equatable, Sendable {
            /// The most bytes of a message to the daemon.
            public var messageBytes: Int

            package init(messageBytes: Int) {
                self.messageBytes = messageBytes
            }

            static var schema: WireSchema { .object(["messageBytes": .count]) }
        }
        /// `unavailable` while the daemon cannot save the session; nil otherwise.
        ///
        /// The session then goes on in memory, and another node may have a newer one.
        public var storage: String?

        package init(
            session: String,
            created: Bool,
            restored: Bool,
            epoch: String,
            linger: Int,
            daemon: DaemonInfo,
            protocol: Int = Release.protocol,
            contract: String,
            features: [String] = [],
            limits: Limits,
            storage: String? = nil
        ) {
            self.session = session
            self.created = created
            self.restored = restored
            self.epoch = epoch
            self.linger = linger
            self.daemon = daemon
            self.protocol = `protocol`
            self.contract = contract
            self.features = features
            self.limits = limits
            self.storage = storage
        }
    }
}

extension SessionAttach: DescribedMethod {
    package static var summary: String {
        "Moves the connection to the session of this name, and creates the session if it does not exist."
    }
    package static var scope: AccessScope { .observe }
    package static var errors: [ErrorCode] {
        [.invalidParams, .actionFailed, .notFound, .accessDenied, .limitExceeded, .sessionInUse]
    }
    package static var paramsSchema: WireSchema {
        .object(optional: ["session": .string, "linger": .count, "client": .program, "uid": .uid, "move": .boolean])
    }
    package static var resultSchema: WireSchema {
        .object(
            [
                "session": .string, "created": .boolean, "restored": .boolean, "epoch": .string, "linger": .count,
                "daemon": .program, "protocol": .integer, "contract": .string, "features": .array(.string),
                "limits": Result.Limits.schema,
            ],
            optional: ["storage": .string]
        )
    }
}

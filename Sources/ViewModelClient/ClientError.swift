public import ViewModelProtocol

/// An error of a client operation: what happened, and a remedy.
public struct ClientError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of a failure.
    ///
    /// The set is open: later versions may add kinds.
    public struct Code: Hashable, Sendable {
        /// The stable name of the kind.
        public let name: String

        private init(_ name: String) {
            self.name = name
        }

        /// The daemon does not listen at the socket, or the user may not open the socket.
        public static let noConnection = Code("noConnection")
        /// The connection was lost, and the client does not reconnect.
        public static let connectionLost = Code("connectionLost")
        /// The connection was lost while the reply of the call was outstanding.
        ///
        /// The daemon may have done the work or not. A call with ``CallOptions/key`` is repeated instead. It fails with
        /// this code only if the daemon has forgotten the key: its session began anew, or too much time has passed.
        public static let outcomeUnknown = Code("outcomeUnknown")
        /// The daemon replied with an error.
        ///
        /// ``ClientError/reply`` has its code and data.
        public static let refused = Code("refused")
        /// The daemon's reply violates the protocol.
        ///
        /// Client and daemon may be of different versions.
        public static let unexpectedReply = Code("unexpectedReply")
        /// The caller's timeout has passed.
        public static let timedOut = Code("timedOut")
        /// The session was closed.
        ///
        /// A client with ``ClientOptions/reconnects`` continues in a new session. Another client ends with this code.
        public static let sessionClosed = Code("sessionClosed")
        /// The session has moved to the machine ``ClientError/node``.
        ///
        /// The client has ended.
        public static let sessionMoved = Code("sessionMoved")
        /// The binding has ended: the instance was closed, or the client has moved to another session.
        public static let bindingEnded = Code("bindingEnded")
        /// The daemon has another contract than ``ClientOptions/contract``.
        public static let contractDiffers = Code("contractDiffers")
        /// The client was closed before the call.
        public static let closed = Code("closed")
        /// The value cannot be written as JSON.
        public static let unsendable = Code("unsendable")
    }

    /// The kind of the failure.
    public var code: Code
    /// A description of the failure in one line, for people.
    public var message: String
    /// An advice in one line, for people, if there is one.
    public var remedy: String?
    /// The daemon's error, if it is the cause.
    public var reply: ProtocolError?
    /// The method that the daemon refused, for example `login.submit`.
    public internal(set) var method: String?
    /// The machine to which the session has moved, for ``Code-swift.struct/sessionMoved``.
    public var node: String?

    /// Creates an error.
    public init(
        code: Code,
        message: String,
        remedy: String? = nil,
        reply: ProtocolError? = nil,
        node: String? = nil
    ) {
        self.code = code
        self.message = message
        self.remedy = remedy
        self.reply = reply
        self.node = node
    }

    /// The message and the remedy.
    public var description: String {
        remedy.map { "\(message). \($0)" } ?? message
    }
}

extension ClientError {
    static func offline(socket: String) -> Self {
        Self(code: .noConnection, message: "There is no connection to \(socket) now")
    }

    static func connectionLost(socket: String) -> Self {
        Self(code: .connectionLost, message: "The connection to \(socket) was lost")
    }

    /// Returns the error for a call whose reply was outstanding when the connection was lost.
    static func outcomeUnknown(_ cause: ClientError) -> Self {
        Self(
            code: .outcomeUnknown,
            message: "\(cause.message) while a reply was outstanding",
            remedy: "The daemon may have done the work or not; a call with a retry key is repeated",
            reply: cause.reply
        )
    }

    static func bindingEnded(_ id: String) -> Self {
        Self(code: .bindingEnded, message: "The binding to \(id) has ended")
    }

    static func contractDiffers(expected: String, found: String) -> Self {
        Self(
            code: .contractDiffers,
            message: "The daemon has the contract \(found), and the client was made for \(expected)",
            remedy: "Generate the client again from this daemon"
        )
    }

    static func refused(_ reply: ProtocolError) -> Self {
        Self(code: .refused, message: reply.description, reply: reply)
    }

    static func unexpectedReply(to method: String, _ mismatch: ValueMismatch) -> Self {
        Self(
            code: .unexpectedReply,
            message: "The reply to \(method) has \(mismatch.found) at \"\(mismatch.path)\""
                + " where \(mismatch.expected) is expected",
            remedy: "Client and daemon may be of different versions"
        )
    }

    static func sessionClosed(_ end: SessionEnd) -> Self {
        let session = end.session.map { "The session \"\($0)\"" } ?? "The connection's own session"
        let incident = end.incident.map { "; the daemon's log has incident \($0)" } ?? ""
        return Self(code: .sessionClosed, message: "\(session) was closed (\(end.reason))\(incident)")
    }

    static func sessionMoved(_ end: SessionEnd) -> Self {
        Self(
            code: .sessionMoved,
            message: "The session \"\(end.session ?? "")\" has moved to \(end.node ?? "another machine")",
            node: end.node
        )
    }

    /// The error of the calls whose replies were outstanding when the connection ended with this error.
    var forOutstandingCalls: Self {
        code == .connectionLost || code == .sessionClosed ? .outcomeUnknown(self) : self
    }

    static var closed: Self {
        Self(code: .closed, message: "The client is closed")
    }

    static func timedOut(_ what: String, after duration: Duration) -> Self {
        Self(code: .timedOut, message: "\(what) took longer than \(duration)")
    }
}

public import ViewModelProtocol

/// Why something that a client wanted did not come about: what happened, and what to do about it.
public struct ClientError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kinds of failure; open, so that more may come.
    public struct Code: Hashable, Sendable {
        /// The kind's stable name.
        public let name: String

        private init(_ name: String) {
            self.name = name
        }

        /// Nobody answers at the socket, or it may not be opened.
        public static let noConnection = Code("noConnection")
        /// The connection went while a reply was outstanding; whether the daemon did the work is unknown.
        public static let connectionLost = Code("connectionLost")
        /// The daemon answered with an error; ``ClientError/reply`` has its code and data.
        public static let refused = Code("refused")
        /// The daemon's reply is not what the protocol says; the two are of different versions, perhaps.
        public static let unexpectedReply = Code("unexpectedReply")
        /// The time that the caller gave is over.
        public static let timedOut = Code("timedOut")
        /// The session was closed, and with it what was bound in it.
        public static let sessionClosed = Code("sessionClosed")
        /// The client itself was closed before.
        public static let closed = Code("closed")
        /// What is to be sent cannot be written as JSON.
        public static let unsendable = Code("unsendable")
    }

    /// The kind of failure.
    public var code: Code
    /// What happened, in one line for people.
    public var message: String
    /// What to do about it, in one line for people, where something can be done.
    public var remedy: String?
    /// The daemon's own error, where that is the cause.
    public var reply: ProtocolError?

    /// Creates an error.
    public init(code: Code, message: String, remedy: String? = nil, reply: ProtocolError? = nil) {
        self.code = code
        self.message = message
        self.remedy = remedy
        self.reply = reply
    }

    /// The message and the remedy.
    public var description: String {
        remedy.map { "\(message). \($0)" } ?? message
    }
}

extension ClientError {
    /// Nobody answers at the socket.
    static func noConnection(socket: String, reason: String, remedy: String) -> Self {
        Self(code: .noConnection, message: "No connection to \(socket): \(reason)", remedy: remedy)
    }

    /// The connection went away.
    static func connectionLost(socket: String) -> Self {
        Self(code: .connectionLost, message: "The connection to \(socket) was lost")
    }

    /// The daemon answered with an error.
    static func refused(_ reply: ProtocolError) -> Self {
        Self(code: .refused, message: reply.description, reply: reply)
    }

    /// The daemon's reply is not what the protocol says.
    static func unexpectedReply(to method: String, _ mismatch: ValueMismatch) -> Self {
        Self(
            code: .unexpectedReply,
            message: "The reply to \(method) has \(mismatch.found) at \"\(mismatch.path)\""
                + " where \(mismatch.expected) is expected",
            remedy: "Client and daemon may be of different versions"
        )
    }

    /// The session is gone.
    static func sessionClosed(_ notice: SessionClosed.Params) -> Self {
        let session = notice.session.map { "The session \"\($0)\"" } ?? "The connection's own session"
        let incident = notice.incident.map { "; the daemon's log has incident \($0)" } ?? ""
        return Self(code: .sessionClosed, message: "\(session) was closed (\(notice.reason.rawValue))\(incident)")
    }

    /// The client was closed.
    static var closed: Self {
        Self(code: .closed, message: "The client is closed")
    }

    /// The time is over.
    static func timedOut(_ what: String, after duration: Duration) -> Self {
        Self(code: .timedOut, message: "\(what) took longer than \(duration)")
    }
}

package import ViewModelKit
package import ViewModelProtocol

/// The destination of a peer's messages: a socket, or a test.
///
/// Isolation: confined to the peer's loop.
package protocol MessageSink: AnyObject {
    /// Whether the backlog is small enough to accept a frame.
    var isReady: Bool { get }
    /// Queues one message, which the closure writes.
    func write(_ body: (inout JSONWriter) -> Void)
    /// Queues one message that ends with a line feed. Its bytes may be shared with other connections.
    func write(line: [UInt8])
    /// Resumes the waiting messages after the peer has moved to another session.
    func resumeReading()
    /// Notifies the sink that the peer's held bytes have changed while it was not receiving a message.
    func heldBytesChanged()
    /// Closes the connection after all queued messages are sent.
    func finish()
    /// Makes the connection that of another user, whose loop it moves to after the reply.
    ///
    /// - Parameters:
    ///   - identity: the user.
    ///   - reply: writes the last message of the present peer, if the limits of the user admit the connection.
    /// - Throws: the exceeded limit.
    func handOver(to identity: ClientIdentity, after reply: () -> Void) throws(ProtocolError)
}

extension MessageSink {
    /// Does nothing, for a sink without a memory limit.
    package func heldBytesChanged() {}

    /// Refuses, for a sink without a socket.
    package func handOver(to identity: ClientIdentity, after reply: () -> Void) throws(ProtocolError) {
        throw .accessDenied(reason: "this connection cannot act for people")
    }

    package func write(line: [UInt8]) {
        write(messageOf: line)
    }

    /// Queues a copy of a message that ends with a line feed.
    package func write(messageOf line: [UInt8]) {
        write { writer in
            line.withUnsafeBytes { writer.raw($0.part(0..<$0.count - 1)) }
        }
    }
}

/// The user and process at the other end of a connection (SO_PEERCRED), or the person for whom that process acts.
package struct ClientIdentity: Sendable {
    /// The Unix user, or the number of the person.
    package var uid: UInt32
    package var pid: Int32
    package var scope: AccessScope
    /// The part of a front, which has the access `delegate`; nil for any other client.
    package var delegation: Delegation?

    /// The life of a front's connection.
    package enum Delegation: Sendable {
        /// The first request must be `connection.actFor`.
        case awaited
        /// The first request was carried out or refused. No other one is.
        case decided
        /// The connection is that of a person, whose subject has this SHA-256 in hexadecimal digits.
        indirect case person(User.Identity, digest: String)
    }

    /// The person for whom a front acts; nil for a Unix user.
    package var person: User.Identity? {
        if case .person(let person, _) = delegation { person } else { nil }
    }

    /// Whether the connection has no user yet, so that it may do nothing but `connection.actFor`.
    package var isUnbound: Bool {
        switch delegation {
        case .awaited, .decided: true
        case .person, nil: false
        }
    }

    package init(uid: UInt32, pid: Int32, scope: AccessScope = .act) {
        self.uid = uid
        self.pid = pid
        self.scope = scope
    }
}

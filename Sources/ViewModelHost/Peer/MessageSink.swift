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
}

extension MessageSink {
    /// Does nothing, for a sink without a memory limit.
    package func heldBytesChanged() {}

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

/// The user and process at the other end of a connection (SO_PEERCRED).
package struct ClientIdentity: Sendable {
    package var uid: UInt32
    package var pid: Int32
    package var scope: AccessScope

    package init(uid: UInt32, pid: Int32, scope: AccessScope = .act) {
        self.uid = uid
        self.pid = pid
        self.scope = scope
    }
}

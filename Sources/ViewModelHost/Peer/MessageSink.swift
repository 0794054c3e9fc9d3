package import ViewModelProtocol

/// Where a peer's messages go: a socket, or a test.
///
/// Isolation: confined to the peer's loop.
package protocol MessageSink: AnyObject {
    /// Whether what was written is on its way, so that notifications may follow.
    var isReady: Bool { get }
    /// Whether so much is unsent that no more requests should be read.
    var isFull: Bool { get }
    /// Takes one message, which the closure writes.
    func write(_ body: (inout JSONWriter) -> Void)
    /// Takes one message that ends with a line feed, in bytes that others may be sent, too.
    func write(line: [UInt8])
    /// Goes on with messages that wait, after the peer was between two sessions.
    func resumeReading()
    /// Takes note that the peer holds another number of bytes, outside of the receiving of a message.
    func heldBytesChanged()
    /// Ends the connection once all that was written is out.
    func finish()
}

extension MessageSink {
    /// Does nothing, for a sink that bounds no memory.
    package func heldBytesChanged() {}

    package func write(line: [UInt8]) {
        write(messageOf: line)
    }

    /// Takes a copy of a message that ends with a line feed.
    package func write(messageOf line: [UInt8]) {
        write { writer in
            line.withUnsafeBytes { writer.raw($0.part(0..<$0.count - 1)) }
        }
    }
}

/// Who is at the other end of a connection (SO_PEERCRED).
package struct ClientIdentity: Sendable {
    package var uid: UInt32
    package var pid: Int32
    package var scope: AccessScope

    package init(uid: UInt32, pid: Int32, scope: AccessScope = .act) {
        self.uid = uid
        self.pid = pid
        self.scope = scope
    }

    /// Whether other users' sessions exist for it, too.
    var isAdmin: Bool { scope == .admin }
}

import JSONRPC
import NIOCore
import NIOHTTP1
import ViewModelConfiguration
import ViewModelProtocol

/// A request or batch in a POST, and its reply.
///
/// The gateway sends the message on a connection of its own and closes the sending side. The daemon sends the reply, or
/// closes because none is due, so that the gateway need not know what the message contains.
///
/// Isolation: confined to the gateway's event loop.
final class RPCExchange: ReplyStream, DaemonLinkOwner {
    private weak var connection: HTTPConnection?
    private var link: DaemonLink?
    private let setup: SetupRequests
    private let message: ByteBuffer

    init(_ request: HTTPConnection.Request, on connection: HTTPConnection) throws(RequestRefusal) {
        guard var setup = request.setup else { throw .malformed }
        try setup.attach(request.target, allowed: [])
        self.connection = connection
        self.setup = setup
        message = request.body
        let link = connection.spareLink.take(connection.gateway, setup, owner: self)
        self.link = link
        if link.isOpen { linkOpened(lastReply: ByteBuffer()) }
    }

    // MARK: DaemonLinkOwner

    var acceptsBytes: Bool { true }

    func linkOpened(lastReply: ByteBuffer) {
        link?.send(message)
        link?.flush()
        link?.finishSending()
    }

    func linkReceived(_ message: ByteBuffer) {
        // A message that was bound in the request may have caused notifications.
        guard !message.isNotification else { return }
        end { $0.reply(.ok, ["Content-Type": "application/json"], message) }
    }

    func linkEnded(_ end: DaemonLink.End) {
        link = nil
        self.end { end == .closed ? $0.reply(.noContent, [:], nil) : $0.refuse(end) }
    }

    private func end(_ reply: (HTTPConnection) -> Void) {
        guard let connection else { return }
        self.connection = nil
        reply(connection)
        stop()
        if connection.keepsAlive { connection.spareLink.prepare(connection.gateway, setup) }
    }

    // MARK: ReplyStream

    func stop() {
        link?.close()
        link = nil
    }
}

extension ByteBuffer {
    /// Whether a message of the daemon is a notification.
    fileprivate var isNotification: Bool {
        withUnsafeReadableBytes { bytes in
            (try? Envelope(parsing: bytes))?.kind == .notification
        }
    }
}

import JSONRPC
import NIOCore
import NIOHTTP1
import ViewModelConfiguration
import ViewModelProtocol

/// A request or batch in a POST, and its reply.
///
/// The gateway sends the message on a connection of its own and closes the sending side. The daemon then sends
/// the replies that are due and closes, so that the gateway need not know what the message contains.
///
/// Isolation: confined to the gateway's event loop.
final class RPCExchange: ReplyStream, DaemonLinkOwner {
    private weak var connection: HTTPConnection?
    private var link: DaemonLink?
    private let message: ByteBuffer
    private var reply: ByteBuffer?

    init(_ request: HTTPConnection.Request, on connection: HTTPConnection) throws(RequestRefusal) {
        guard let scope = request.scope else { throw .malformed }
        var setup = SetupRequests(scope: scope)
        try setup.attach(request.target, allowed: [])
        self.connection = connection
        message = request.body
        link = DaemonLink.open(connection.gateway, setup, owner: self)
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
        if !message.isNotification { reply = message }
    }

    func linkEnded(_ end: DaemonLink.End) {
        link = nil
        guard let connection else { return }
        switch (end, reply) {
        case (.closed, let reply?), (.lost, let reply?):
            connection.reply(.ok, ["Content-Type": "application/json"], reply)
        case (.closed, nil): connection.reply(.noContent, [:], nil)
        default: connection.refuse(end)
        }
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

import JSONRPC
import NIOCore
import NIOHTTP1
import ViewModelConfiguration
import ViewModelProtocol

/// A stream of server-sent events: the picture of an instance, and each change of it.
///
/// Isolation: confined to the gateway's event loop.
final class EventStream: ReplyStream, DaemonLinkOwner {
    /// The version of the request, whose client may not know chunks.
    private let version: HTTPVersion
    private weak var connection: HTTPConnection?
    private var link: DaemonLink?
    private var epoch = ""
    /// The ticks since the client last accepted bytes.
    private var blockedTicks = 0
    private var progress = ReaderProgress()

    init(_ request: HTTPConnection.Request, on connection: HTTPConnection) throws(RequestRefusal) {
        guard var setup = request.setup else { throw .malformed }
        let gateway = connection.gateway
        let target = request.target
        try setup.attach(target, allowed: ViewModelBind.Params.queryNames)
        let lastEventID = request.head.headers["Last-Event-ID"].first
        setup.add(ViewModelBind.self, try ViewModelBind.Params(query: target, lastEventID: lastEventID))
        version = request.head.version
        self.connection = connection
        link = DaemonLink.open(gateway, setup, owner: self)
    }

    private func send(_ name: String?, _ value: JSONValue) {
        let step = value["seq"].flatMap { "\($0)" }
        var event = ByteBuffer()
        if let name { event.writeString("event: \(name)\n") }
        if let step { event.writeString("id: \(epoch):\(step)\n") }
        event.writeString("data: ")
        // The text of a value has no line feed.
        event.writeString("\(value)")
        event.writeString("\n\n")
        connection?.write(.body(.byteBuffer(event)))
    }

    /// Ends the reply.
    ///
    /// A client that has received the first event connects again by itself.
    private func finish() {
        stop()
        connection?.finish()
    }

    // MARK: DaemonLinkOwner

    var acceptsBytes: Bool { connection?.isWritable ?? false }

    func linkOpened(lastReply: ByteBuffer) {
        guard let connection, let picture = SetupRequests.result(lastReply) else { return finish() }
        epoch = picture["epoch"]?.stringValue ?? ""
        connection.writeHead(
            HTTPResponseHead(version: version, status: .ok, headers: ["Content-Type": "text/event-stream"])
        )
        connection.write(.body(.byteBuffer(ByteBuffer(string: "retry: 2000\n"))))
        send(nil, picture)
        connection.flush()
    }

    func linkReceived(_ message: ByteBuffer) {
        let value = JSONValue(text: Array(message.readableBytesView))
        guard let value, let params = value["params"] else { return }
        if value["method"]?.stringValue == ViewModelChanged.name { return send(nil, params) }
        // The instance or the session has ended, and no change follows.
        send("closed", params)
        finish()
    }

    func linkReceivedAll() {
        connection?.flush()
    }

    func linkEnded(_ end: DaemonLink.End) {
        link = nil
        // After the first event the client connects again by itself.
        epoch.isEmpty ? connection?.refuse(end) : connection?.finish()
    }

    // MARK: ReplyStream

    func clientWritabilityChanged() {
        guard connection?.isWritable ?? false else { return }
        blockedTicks = 0
        link?.resume()
    }

    func tick() {
        guard let connection, !epoch.isEmpty else { return }
        guard connection.isWritable else {
            blockedTicks = progress.advances(connection.context) ? 0 : blockedTicks + 1
            if blockedTicks > 2 { connection.drop() }
            return
        }
        connection.write(.body(.byteBuffer(ByteBuffer(string: ":\n\n"))))
        connection.flush()
    }

    func stop() {
        link?.close()
        link = nil
    }
}

import JSONRPC
import NIOCore
import NIOHTTP1
import ViewModelConfiguration
import ViewModelProtocol

/// A stream of server-sent events: the pictures of instances, and each change of them.
///
/// Isolation: confined to the gateway's event loop.
final class EventStream: ReplyStream, DaemonLinkOwner {
    /// The version of the request, whose client may not know chunks.
    private let version: HTTPVersion
    private let bindings: [ViewModelBind.Params]
    private weak var connection: HTTPConnection?
    private var link: DaemonLink?
    private var epoch = ""
    /// The last steps that were sent, by the ids of their instances.
    private var steps: [String: JSONValue] = [:]
    /// The instances that are not closed.
    private var open: Set<String>
    /// Whether the reply has begun, which it does with the pictures of all instances.
    private var hasBegun = false
    /// The events that are not sent yet.
    private var events = ByteBuffer()
    /// The ticks since the client last accepted bytes.
    private var blockedTicks = 0
    private var progress = ReaderProgress()

    init(_ request: HTTPConnection.Request, on connection: HTTPConnection) throws(RequestRefusal) {
        guard var setup = request.setup else { throw .malformed }
        let gateway = connection.gateway
        let target = request.target
        try setup.attach(target, allowed: ViewModelBind.Params.queryNames)
        let lastEventID = request.head.headers["Last-Event-ID"].first
        bindings = try ViewModelBind.Params.bindings(of: target, lastEventID: lastEventID)
        open = Set(bindings.map(\.id))
        version = request.head.version
        self.connection = connection
        link = DaemonLink.open(gateway, setup, owner: self)
    }

    private func add(_ name: String?, _ value: JSONValue) {
        if let name { events.writeString("event: \(name)\n") }
        if let step = value["seq"], let id = value["id"]?.stringValue {
            steps[id] = step
            let all = bindings.map { steps[$0.id].map { "\($0)" } ?? "" }
            events.writeString("id: \(epoch):\(all.joined(separator: ","))\n")
        }
        // The text of a value has no line feed.
        events.writeString("data: \(value)\n\n")
    }

    private func send() {
        guard let connection, steps.count == bindings.count, events.readableBytes > 0 else { return }
        if !hasBegun {
            hasBegun = true
            connection.writeHead(
                HTTPResponseHead(version: version, status: .ok, headers: ["Content-Type": "text/event-stream"])
            )
            connection.write(.body(.byteBuffer(ByteBuffer(string: "retry: 2000\n"))))
        }
        connection.write(.body(.byteBuffer(events)))
        events = ByteBuffer()
        connection.flush()
    }

    // MARK: DaemonLinkOwner

    var acceptsBytes: Bool { connection?.isWritable ?? false }

    func linkOpened(lastReply: ByteBuffer) {
        // The id of the request is that of the instance, so that an error names it.
        for binding in bindings { link?.send(SetupRequests.request(ViewModelBind.self, binding, id: binding.id)) }
        link?.flush()
    }

    func linkReceived(_ message: ByteBuffer) {
        guard let connection, let value = JSONValue(text: Array(message.readableBytesView)) else { return }
        if let picture = value["result"] {
            epoch = picture["epoch"]?.stringValue ?? ""
            add(nil, picture)
        } else if value["error"] != nil {
            end(.refused(message))
        } else if let params = value["params"] {
            let isChange = value["method"]?.stringValue == ViewModelChanged.name
            add(isChange ? nil : "closed", params)
            guard !isChange else { return }
            // The instance or the session has ended.
            if let id = params["id"]?.stringValue { open.remove(id) } else { open = [] }
            if open.isEmpty { end(.closed) }
        }
        let limit = connection.gateway.server.configuration.limits.replyBytes
        if steps.count < bindings.count, events.readableBytes > limit { end(.tooLong) }
    }

    func linkReceivedAll() {
        send()
    }

    func linkEnded(_ end: DaemonLink.End) {
        link = nil
        self.end(end)
    }

    /// Ends the reply.
    ///
    /// A client that has received the first events connects again by itself.
    private func end(_ end: DaemonLink.End) {
        stop()
        send()
        hasBegun ? connection?.finish() : connection?.refuse(end)
        connection = nil
    }

    // MARK: ReplyStream

    func clientWritabilityChanged() {
        guard connection?.isWritable ?? false else { return }
        blockedTicks = 0
        link?.resume()
    }

    func tick() {
        guard let connection, hasBegun else { return }
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

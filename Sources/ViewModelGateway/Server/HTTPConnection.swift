import JSONRPC
import Logging
import NIOCore
import NIOHTTP1
import ViewModelConfiguration
import ViewModelProtocol

/// A reply that goes on after the request was read.
///
/// Isolation: confined to the gateway's event loop.
protocol ReplyStream: AnyObject {
    /// The client accepts more bytes, or no more.
    func clientWritabilityChanged()
    /// Checks whether the client is still there.
    func tick()
    /// Ends the stream, because its client has gone or the gateway stops.
    func stop()
}

extension ReplyStream {
    func clientWritabilityChanged() {}
    func tick() {}
}

/// A connection that speaks HTTP, until it becomes a WebSocket.
///
/// It carries out one request. A connection costs little on a loopback, and a second request could not be confused with
/// the first one.
///
/// Isolation: confined to the gateway's event loop.
final class HTTPConnection: ChannelDuplexHandler, RemovableChannelHandler, GatewayConnection {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private enum State {
        case head
        case body(Request)
        /// The daemon works on it.
        case reply(any ReplyStream)
        /// The reply is written, or the request was refused.
        case ended
    }

    /// A request that was checked, and whose body arrives.
    struct Request {
        let head: HTTPRequestHead
        let route: Route
        /// The scope of the caller, or nil for a request without authorization.
        let scope: AccessScope?
        let maximumBodyBytes: Int
        /// The whole body, when the request is carried out.
        var body = ByteBuffer()
    }

    let gateway: Gateway
    let policy: RequestPolicy
    private(set) var key: GatewayConnections.Key?
    private(set) var context: ChannelHandlerContext?
    private var state = State.head
    /// The part of the body that has arrived.
    private var body = ByteBuffer()
    /// Whether the reply has no body (RFC 9110, section 9.3.2).
    private var isHead = false
    private var deadline: Scheduled<Void>?
    /// Whether a process of another user of this machine is at the other end of a loopback connection.
    private var isForeign = false
    /// The handlers of HTTP, which a WebSocket connection does not need.
    private var codec: [any RemovableChannelHandler]

    init(_ gateway: Gateway, _ policy: RequestPolicy, codec: [any RemovableChannelHandler]) {
        self.gateway = gateway
        self.policy = policy
        self.codec = codec
    }

    /// Whether the client accepts more bytes.
    var isWritable: Bool { context?.channel.isWritable ?? false }

    // MARK: Channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        guard let key = gateway.add(self) else { return context.close(promise: nil) }
        self.key = key
        // Only the user of the gateway can connect to this socket.
        if policy.role == .control { gateway.connections.admit(key) }
        if case .network = policy.role, !gateway.server.configuration.otherUsers,
            let own = context.channel.localAddress, own.isLoopback, let peer = context.channel.remoteAddress
        {
            isForeign = PeerUser.isForeign(peer, to: own)
        }
        context.channel.closeFuture.assumeIsolated().whenComplete { [gateway] _ in gateway.connectionClosed(key) }
        setDeadline(.seconds(Int64(gateway.server.configuration.limits.headerSeconds)))
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        deadline?.cancel()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        do throws(RequestRefusal) {
            switch (unwrapInboundIn(data), state) {
            case (.head(let head), .head):
                isHead = head.method == .HEAD
                try begin(head)
            case (.body(let bytes), .body(let request)):
                guard body.readableBytes + bytes.readableBytes <= request.maximumBodyBytes else {
                    throw RequestRefusal(.payloadTooLarge, "the body is longer than \(request.maximumBodyBytes) bytes")
                }
                body.writeImmutableBuffer(bytes)
            case (.end, .body(var request)):
                swap(&request.body, &body)
                try carryOut(request)
            // A client that sends more than one request gets one reply.
            default: break
            }
        } catch {
            refuse(error)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch state {
        case .head, .body:
            let isTooLong =
                error is ByteToMessageDecoderError.PayloadTooLargeError
                || error as? HTTPParserError == .headerOverflow
            refuse(isTooLong ? RequestRefusal(.requestHeaderFieldsTooLarge, "the header is too long") : .malformed)
        case .reply, .ended: context.close(promise: nil)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if case .reply(let stream) = state { stream.clientWritabilityChanged() }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        endStream()
        context.fireChannelInactive()
    }

    private func endStream() {
        if case .reply(let stream) = state {
            state = .ended
            stream.stop()
        }
    }

    private func setDeadline(_ time: TimeAmount) {
        deadline?.cancel()
        deadline = context?.eventLoop.assumeIsolated().scheduleTask(in: time) { [weak self] in self?.drop() }
    }

    // MARK: GatewayConnection

    func tick() {
        if case .reply(let stream) = state { stream.tick() }
    }

    func stop() {
        endStream()
        drop()
    }

    func drop() {
        context?.close(promise: nil)
    }

    // MARK: Requests

    private func begin(_ head: HTTPRequestHead) throws(RequestRefusal) {
        guard !isForeign else {
            throw RequestRefusal(
                .forbidden,
                "a process of another user is at the other end; gateway.otherUsers lets such processes connect"
            )
        }
        let named = head.headers["Authorization"]
        let bearer = named.count == 1 ? gateway.tokens.scope(ofAuthorization: named[0]) : nil
        try policy.check(head, hasBearer: bearer != nil)
        let route = try Route(head.method, RequestTarget(head.uri).path, on: policy.role)
        var scope: AccessScope?
        if route.needsAuthorization {
            scope = named.isEmpty ? scopeOfCookie(head) : bearer
            guard scope != nil else {
                throw RequestRefusal(.unauthorized, "a token is missing or not valid", ["WWW-Authenticate": "Bearer"])
            }
            if let key { gateway.connections.admit(key) }
        }
        let maximum = route == .rpc ? gateway.server.configuration.limits.messageBytes : Self.longestToken
        if let length = head.headers["Content-Length"].first.flatMap({ Int($0) }), length > maximum {
            throw RequestRefusal(.payloadTooLarge, "the body is longer than \(maximum) bytes")
        }
        state = .body(Request(head: head, route: route, scope: scope, maximumBodyBytes: maximum))
        if head.headers["Expect"].contains(where: { $0.lowercased() == "100-continue" }) {
            write(.head(HTTPResponseHead(version: head.version, status: .continue)))
            context?.flush()
        }
    }

    /// The longest body of a request that is not for the daemon.
    private static let longestToken = 4096

    private func scopeOfCookie(_ head: HTTPRequestHead) -> AccessScope? {
        // A server on another port of the host can set a cookie of this name. It must not hide the valid one.
        for pair in head.headers["Cookie"].flatMap({ $0.utf8.split(separator: UInt8(ascii: ";")) }) {
            let parts = pair.drop { $0 == UInt8(ascii: " ") }.split(separator: UInt8(ascii: "="), maxSplits: 1)
            guard parts.count == 2, case let name = String(Substring(parts[0])),
                name == policy.cookieName || name == policy.secureCookieName,
                let scope = gateway.tokens.scope(
                    ofCookie: String(Substring(parts[1])),
                    named: name,
                    now: Gateway.calendarTime
                )
            else { continue }
            return scope
        }
        return nil
    }

    private func carryOut(_ request: Request) throws(RequestRefusal) {
        switch request.route {
        case .file(let path):
            guard let content = gateway.server.files.content(of: path) else {
                throw RequestRefusal(.notFound, "there is no file")
            }
            reply(.ok, ["Content-Type": content.type], ByteBuffer(bytes: content.bytes))
        case .session: reply(.ok, ["scope": .string(request.scope?.rawValue ?? "")])
        case .signIn: try signIn(request)
        case .oneTimeToken: try issueToken(request)
        case .webSocket: try upgrade(request)
        case .events: begin(try EventStream(request, on: self))
        case .rpc: begin(try RPCExchange(request, on: self))
        }
    }

    private func begin(_ stream: any ReplyStream) {
        deadline?.cancel()
        state = .reply(stream)
    }

    private func upgrade(_ request: Request) throws(RequestRefusal) {
        guard let context, let key, let scope = request.scope else { return }
        let accept = try Handshake.accept(request.head)
        state = .ended
        var head = HTTPResponseHead(version: .http1_1, status: .switchingProtocols)
        head.headers = [
            "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": accept,
            "Sec-WebSocket-Protocol": Handshake.subprotocol,
        ]
        write(.head(head))
        write(.end(nil))
        context.flush()
        let socket = WebSocketConnection(gateway, key, scope, isPlain: policy.role != .network(isSecure: true))
        gateway.connections.replace(key, with: socket)
        let pipeline = context.pipeline.syncOperations
        do {
            try pipeline.addHandler(socket)
        } catch {
            return drop()
        }
        for handler in [self] + codec.dropLast() { pipeline.removeHandler(handler, promise: nil) }
        socket.open()
        // The decoder goes last, because it forwards the bytes after the request.
        if let decoder = codec.last { pipeline.removeHandler(decoder, promise: nil) }
        codec = []
    }

    // MARK: Replies

    func write(_ part: HTTPServerResponsePart) {
        context?.write(wrapOutboundOut(part), promise: nil)
    }

    func flush() {
        context?.flush()
    }

    /// Replies with the reason of a refusal.
    func refuse(_ refusal: RequestRefusal) {
        gateway.server.logger.debug(
            "A request was refused",
            metadata: ["status": "\(refusal.status.code)", "reason": "\(refusal.reason)"]
        )
        reply(refusal.status, ["error": .string(refusal.reason)], refusal.headers)
    }

    func reply(_ status: HTTPResponseStatus, _ object: JSONObject, _ headers: HTTPHeaders = [:]) {
        var headers = headers
        headers.add(name: "Content-Type", value: "application/json")
        reply(status, headers, ByteBuffer(string: "\(JSONValue.object(object))"))
    }

    /// Replies and ends the connection; a `HEAD` gets only the length of the body.
    func reply(_ status: HTTPResponseStatus, _ headers: HTTPHeaders, _ body: ByteBuffer?) {
        state = .ended
        var head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
        if status != .noContent {
            head.headers.add(name: "Content-Length", value: "\(body?.readableBytes ?? 0)")
        }
        writeHead(head)
        if let body, !isHead { write(.body(.byteBuffer(body))) }
        finish()
    }

    /// Writes the head of a reply, with the headers that every reply has.
    func writeHead(_ head: HTTPResponseHead) {
        var head = head
        head.headers.add(contentsOf: ReplyHeaders.all)
        write(.head(head))
    }

    /// Ends the reply.
    ///
    /// The client has some time to read it.
    func finish() {
        guard let context else { return }
        state = .ended
        setDeadline(Gateway.replyTime)
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { [weak self] _ in self?.linger() }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
    }

    /// Closes the sending side, and waits for the client to close.
    ///
    /// Unread bytes of the client would make the kernel reset the connection, and the reply would be lost.
    private func linger() {
        guard let context else { return }
        context.close(mode: .output, promise: nil)
        setDeadline(Gateway.lingerTime)
    }
}

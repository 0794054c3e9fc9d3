import DequeModule
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
/// It carries out one request at a time, and reads no further while it does. The requests that have arrived behind it
/// wait. `HTTPServerPipelineHandler` of NIO would recurse once for each of them, and has no limit.
///
/// Isolation: confined to the gateway's event loop.
final class HTTPConnection: ChannelDuplexHandler, RemovableChannelHandler, GatewayConnection {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private enum State {
        case head
        case body(Request)
        /// The request is carried out, with a stream if the daemon works on it.
        case reply((any ReplyStream)?)
        /// The last reply is written.
        case ended
    }

    let gateway: Gateway
    let policy: RequestPolicy
    private(set) var key: GatewayConnections.Key?
    let spareLink = SpareLink()
    private(set) var context: ChannelHandlerContext?
    private var state = State.head
    /// The part of the body that has arrived.
    private var body = ByteBuffer()
    /// Whether the reply has no body (RFC 9110, section 9.3.2).
    private var isHead = false
    /// Whether the client may send another request after the reply.
    private(set) var keepsAlive = false
    private var hasReplied = false
    /// The parts of requests behind the one that is carried out: those of the bytes that were read with it.
    private var waiting = Deque<HTTPServerRequestPart>()
    /// The fault behind them.
    private var fault: RequestRefusal?
    /// Whether the last request that has arrived came behind another one.
    private var isPipelined = false
    private var isAccepting = false
    private var hasDeferredRead = false
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
        key = gateway.add(self)
        guard let key else { return }
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

    func channelActive(context: ChannelHandlerContext) {
        if key == nil { turnAway(context.channel) }
        context.fireChannelActive()
    }

    func read(context: ChannelHandlerContext) {
        if acceptsPart {
            context.read()
        } else {
            hasDeferredRead = true
        }
    }

    /// Whether the next part of a request is accepted.
    ///
    /// A client that does not read its replies gets no more of them.
    private var acceptsPart: Bool {
        switch state {
        case .head: isWritable
        case .body, .ended: true
        case .reply: false
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        if case .head = part { isPipelined = !waiting.isEmpty || !acceptsPart }
        // At the end of a client the kernel's bytes arrive, whether they are asked for or not.
        guard waiting.count < Self.mostWaitingParts else { return drop() }
        waiting.append(part)
        acceptParts()
    }

    /// The most parts of requests that wait: more than those of one read of a client that means well.
    private static let mostWaitingParts = 4096

    /// Accepts the parts that wait, until a request has to wait for its reply.
    private func acceptParts() {
        guard !isAccepting else { return }
        isAccepting = true
        while acceptsPart, let part = waiting.popFirst() { accept(part) }
        isAccepting = false
        guard acceptsPart else { return }
        if let fault = fault.take() {
            if case .ended = state {} else { refuse(fault) }
        }
        guard hasDeferredRead else { return }
        hasDeferredRead = false
        context?.read()
    }

    private func accept(_ part: HTTPServerRequestPart) {
        do throws(RequestRefusal) {
            switch (part, state) {
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
                state = .reply(nil)
                try carryOut(request)
            // The rest of a request that was refused.
            default: break
            }
        } catch {
            refuse(error)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case is ByteToMessageDecoderError.PayloadTooLargeError, HTTPParserError.headerOverflow:
            fault = RequestRefusal(.requestHeaderFieldsTooLarge, "the header is too long")
        case is HTTPParserError: fault = .malformed
        default: return drop()
        }
        acceptParts()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if case .reply(let stream) = state { stream?.clientWritabilityChanged() }
        acceptParts()
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        waiting = []
        endStream()
        context.fireChannelInactive()
    }

    private func endStream() {
        spareLink.close()
        if case .reply(let stream) = state {
            state = .ended
            stream?.stop()
        }
    }

    func setDeadline(_ time: TimeAmount) {
        deadline?.cancel()
        deadline = context?.eventLoop.assumeIsolated().scheduleTask(in: time) { [weak self] in self?.drop() }
    }

    // MARK: GatewayConnection

    func tick() {
        if case .reply(let stream) = state { stream?.tick() }
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
        keepsAlive = false
        if hasReplied { setDeadline(.seconds(Int64(gateway.server.configuration.limits.headerSeconds))) }
        guard !isForeign else {
            throw RequestRefusal(
                .forbidden,
                "a process of another user is at the other end; gateway.otherUsers lets such processes connect"
            )
        }
        let request = try check(head)
        // The decoder stops after a request for another protocol. A stream ends with its connection. viewmodelctl reads up
        // to the end.
        keepsAlive =
            head.isKeepAlive && head.version == .http1_1 && !head.headers.contains(name: "Upgrade")
            && request.route != .events && policy.role != .control
        state = .body(request)
        if head.headers["Expect"].contains(where: { $0.lowercased() == "100-continue" }) {
            write(.head(HTTPResponseHead(version: head.version, status: .continue)))
            context?.flush()
        }
    }

    /// Carries out a request once the provider has confirmed the person whom it names.
    private func authorize(_ request: Request, _ credential: Team.Credential, _ team: Team) {
        let stream = ClientWatch()
        begin(stream)
        team.authorize(credential) { [weak self] result in
            guard let self, !stream.hasStopped else { return }
            do throws(RequestRefusal) {
                var request = request
                request.person = try result.get()
                request.scope = request.person?.scope
                state = .reply(nil)
                if let key, let person = request.person {
                    try admit(key, of: person)
                    team.attach(key, to: credential)
                }
                try carryOut(request)
            } catch {
                refuse(error)
            }
        }
    }

    private func carryOut(_ request: Request) throws(RequestRefusal) {
        if let team = gateway.team, let credential = request.credential, request.person == nil {
            return authorize(request, credential, team)
        }
        switch request.route {
        case .file(let path) where sendsToSignIn(request, path): break
        case .file(let path): try reply(toFile: path, request.head)
        case .redirect(let location): reply(.permanentRedirect, ["Location": location], nil)
        case .methods(let allowed): reply(.noContent, ["Allow": allowed], nil)
        case .health: gateway.health.check(for: self)
        case .team(let route): try carryOut(route, request)
        case .session where request.person != nil:
            if let person = request.person, let credential = request.credential { reply(person, credential) }
        case .session: reply(.ok, ["scope": .string(request.scope?.rawValue ?? "")])
        case .signIn: try signIn(request)
        case .oneTimeToken: try issueToken(request)
        case .webSocket: try upgrade(request)
        case .events: begin(try EventStream(request, on: self))
        case .rpc: begin(try RPCExchange(request, on: self))
        }
    }

    func begin(_ stream: any ReplyStream) {
        deadline?.cancel()
        state = .reply(stream)
    }

    private func upgrade(_ request: Request) throws(RequestRefusal) {
        guard let context, let key, let setup = request.setup else { return }
        guard !isPipelined else { throw RequestRefusal(.badRequest, "a WebSocket handshake waits for earlier replies") }
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
        let socket = WebSocketConnection(gateway, key, setup, isPlain: policy.role != .network(isSecure: true))
        gateway.connections.replace(key, with: socket)
        let (channel, pipeline) = (context.channel, context.pipeline.syncOperations)
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
        // The provider's answer came after the channel's last read.
        if hasDeferredRead { channel.read() }
    }

    // MARK: Replies

    func write(_ part: HTTPServerResponsePart) {
        context?.write(wrapOutboundOut(part), promise: nil)
    }

    func flush() {
        context?.flush()
    }

    /// Replies with the reason of a refusal.
    ///
    /// The connection ends unless the request was read as a whole.
    func refuse(_ refusal: RequestRefusal) {
        if case .reply = state {} else { keepsAlive = false }
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

    /// Replies; a `HEAD` gets only the length of the body.
    func reply(_ status: HTTPResponseStatus, _ headers: HTTPHeaders, _ body: ByteBuffer?) {
        var head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
        if status != .noContent, status != .notModified {
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
        if !keepsAlive { head.headers.add(name: "Connection", value: "close") }
        if !head.headers.contains(name: "Cache-Control") { head.headers.add(name: "Cache-Control", value: "no-store") }
        write(.head(head))
    }

    /// Ends the reply.
    ///
    /// The client has some time to read it, or to send the next request.
    func finish() {
        guard let context else { return }
        hasReplied = true
        guard !keepsAlive else {
            state = .head
            if let key {
                gateway.team?.detach(key)
                gateway.connections.rest(key)
            }
            setDeadline(Gateway.keepAliveTime)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            return acceptParts()
        }
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

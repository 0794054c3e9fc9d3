import NIOCore
package import NIOHTTP1
import NIOPosix
package import NIOSSL
import Synchronization

/// A real HTTP server on a free port, which answers by a test's script and records the requests.
package final class Backend: Sendable {
    /// A received request.
    package struct Request: Sendable {
        /// The method.
        package let method: HTTPMethod
        /// The path including the query.
        package let path: String
        /// The headers.
        package let headers: HTTPHeaders
        /// The body as text.
        package let body: String
    }

    /// The reply to a request.
    package enum Reply: Sendable {
        /// Answers with a status, headers and a text.
        case answer(HTTPResponseStatus, headers: [String: String] = [:], String = "")
        /// Accepts the request and never answers.
        case stall
        /// Closes the connection.
        case hangUp
    }

    /// Returns the reply to each request; called on the server's event loops.
    package typealias Script = @Sendable (Request) -> Reply

    private let isSecure: Bool
    private let script: Mutex<Script>
    private let log = Mutex<[Request]>([])
    private let server = Mutex<(any Channel)?>(nil)

    /// Starts a server, with TLS if `tls` is not nil.
    package init(tls: TLSConfiguration? = nil, _ script: @escaping Script) async throws {
        self.script = Mutex(script)
        let tls = try tls.map { try NIOSSLContext(configuration: $0) }
        isSecure = tls != nil
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Handler(backend: self))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        server.withLock { $0 = channel }
    }

    /// The base address of the server.
    package var url: String {
        "\(isSecure ? "https" : "http")://127.0.0.1:\(server.withLock { $0?.localAddress?.port } ?? 0)"
    }

    /// All requests so far, oldest first.
    package var requests: [Request] { log.withLock { $0 } }

    /// Returns the number of requests for a path.
    package func count(_ path: String) -> Int {
        requests.count { $0.path == path }
    }

    /// Replaces the script for later requests.
    package func set(_ script: @escaping Script) {
        self.script.withLock { $0 = script }
    }

    /// Closes the listening socket.
    package func stop() async {
        let channel = server.withLock { server in
            defer { server = nil }
            return server
        }
        try? await channel?.close().get()
    }

    fileprivate func reply(to request: Request) -> Reply {
        log.withLock { $0.append(request) }
        return script.withLock { $0 }(request)
    }
}

private final class Handler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let backend: Backend
    private var head: HTTPRequestHead?
    private var body = ""

    init(backend: Backend) {
        self.backend = backend
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body = ""
        case .body(let buffer):
            body += String(buffer: buffer)
        case .end:
            guard let head else { return }
            let request = Backend.Request(method: head.method, path: head.uri, headers: head.headers, body: body)
            answer(backend.reply(to: request), context)
        }
    }

    private func answer(_ reply: Backend.Reply, _ context: ChannelHandlerContext) {
        switch reply {
        case .stall: return
        case .hangUp: context.close(promise: nil)
        case .answer(let status, let headers, let text):
            var fields = HTTPHeaders(headers.map { ($0.key, $0.value) })
            fields.add(name: "Content-Length", value: "\(text.utf8.count)")
            let head = HTTPResponseHead(version: .http1_1, status: status, headers: fields)
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }
}

extension Backend.Reply {
    /// Answers 200 with JSON.
    package static func json(_ text: String, etag: String? = nil) -> Self {
        .answer(.ok, headers: etag.map { ["ETag": $0] } ?? [:], text)
    }

    /// Answers with a refusal of the JSON API.
    package static func refusal(_ text: String, _ status: HTTPResponseStatus = .ok) -> Self {
        .answer(status, #"{"status": "error", "error_desc": "\#(text)"}"#)
    }
}

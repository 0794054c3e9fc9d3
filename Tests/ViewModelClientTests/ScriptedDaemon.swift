import Foundation
import NIOCore
import NIOPosix
import Synchronization
import Testing
import ViewModelClient

/// A daemon without a mind of its own: a test reads what clients send, and says what they get.
actor ScriptedDaemon {
    /// What happens at the socket.
    enum Event: Equatable, Sendable {
        case connected
        case line(JSONValue)
        case disconnected
    }

    nonisolated let socket: String
    private let events: AsyncStream<Event>
    private let report: AsyncStream<Event>.Continuation
    private nonisolated let channels = Mutex<[any Channel]>([])
    private var server: (any Channel)?

    private init() {
        socket = "/tmp/viewmodel-client-\(UInt64.random(in: 0...UInt64.max)).sock"
        (events, report) = AsyncStream.makeStream()
    }

    /// Listens, lets a test work, and goes.
    static func run(_ test: (ScriptedDaemon) async throws -> Void) async throws {
        let standIn = ScriptedDaemon()
        try await standIn.listen()
        do {
            try await test(standIn)
        } catch {
            await standIn.stop()
            throw error
        }
        await standIn.stop()
    }

    /// Runs a test with a client that has options.
    static func withClient(
        _ options: ClientOptions = .quick(),
        _ test: (ScriptedDaemon, ViewModelClient) async throws -> Void
    ) async throws {
        try await run { daemon in
            try await withViewModelClient(socket: daemon.socket, options: options) { try await test(daemon, $0) }
        }
    }

    /// Runs a test with a client that is attached to the session `s1` with an epoch.
    static func withClient(
        _ options: ClientOptions = .inSession(),
        attachedIn epoch: String,
        _ more: String = "",
        _ test: (ScriptedDaemon, ViewModelClient) async throws -> Void
    ) async throws {
        try await run { daemon in
            let welcome = Task { try await daemon.reply(to: "session.attach", attached(epoch, more)) }
            try await withViewModelClient(socket: daemon.socket, options: options) { client in
                _ = try await welcome.value
                try await test(daemon, client)
            }
        }
    }

    /// The reply to an attach to the session `s1`, with more members.
    static func attached(_ epoch: String, _ more: String = "") -> String {
        #"{"session":"s1","created":true,"restored":false,"epoch":"\#(epoch)","linger":60,"protocol":1,"#
            + #""contract":"c1","daemon":{"name":"viewmodeld","version":"1"}\#(more)}"#
    }

    /// The reply to a bind of the instance `lab`.
    static let whole = #"{"id":"lab","epoch":"e","seq":4,"full":true,"values":{"value":1,"rows":[]}}"#

    private func listen() async throws {
        server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Ear(self))
                }
            }
            .bind(unixDomainSocketPath: socket)
            .get()
    }

    private func stop() async {
        try? await server?.close()
        for channel in channels.withLock(\.self) { try? await channel.close() }
        try? FileManager.default.removeItem(atPath: socket)
    }

    fileprivate nonisolated func joined(_ channel: any Channel) {
        channels.withLock { $0.append(channel) }
        tell(.connected)
    }

    fileprivate nonisolated func tell(_ event: Event) {
        report.yield(event)
    }

    /// The connection that came last.
    private var newest: (any Channel)? { channels.withLock(\.last) }

    /// Waits for what happens next.
    func next() async throws -> Event {
        var iterator = events.makeAsyncIterator()
        return try #require(await iterator.next())
    }

    /// Waits for the next line, and checks its method.
    ///
    /// Requests for a sign of life are answered.
    @discardableResult
    func request(_ method: String) async throws -> JSONValue {
        while true {
            guard case .line(let line) = try await next() else { continue }
            if line["method"] == .string("$/cancelRequest"), line["id"] != nil {
                // A client on a busy machine asks for a sign of life.
                try? await answer(line, "null")
                continue
            }
            #expect(line["method"] == .string(method))
            return line
        }
    }

    /// Sends a line to the client that came last.
    func say(_ line: String) async throws {
        let channel = try #require(newest)
        var buffer = channel.allocator.buffer(capacity: line.utf8.count + 1)
        buffer.writeString(line + "\n")
        try await channel.writeAndFlush(buffer)
    }

    /// Answers a request.
    func answer(_ request: JSONValue, _ result: String) async throws {
        try await say(#"{"jsonrpc":"2.0","id":\#(request["id"] ?? .null),"result":\#(result)}"#)
    }

    /// Waits for a request and answers it.
    @discardableResult
    func reply(to method: String, _ result: String) async throws -> JSONValue {
        let line = try await request(method)
        try await answer(line, result)
        return line
    }

    /// Answers all requests of a method until the task is cancelled, also those whose client gave up too early.
    func alwaysReply(to method: String, _ result: String) async {
        for await case .line(let line) in events where line["method"] == .string(method) {
            try? await answer(line, result)
        }
    }

    /// Answers a request with an error.
    func refuse(_ request: JSONValue, _ code: Int, _ message: String = "no") async throws {
        try await say(
            #"{"jsonrpc":"2.0","id":\#(request["id"] ?? .null),"error":{"code":\#(code),"message":"\#(message)"}}"#
        )
    }

    /// Sends a frame.
    func frame(_ params: String) async throws {
        try await say(#"{"jsonrpc":"2.0","method":"viewModel.changed","params":\#(params)}"#)
    }

    /// Ends the instance `lab` or another one.
    func close(_ id: String = "lab") async throws {
        try await say(#"{"jsonrpc":"2.0","method":"viewModel.closed","params":{"id":"\#(id)"}}"#)
    }

    /// Answers the next call of a client.
    func serves(_ client: ViewModelClient) async throws {
        async let call = client.request("a.y")
        try await reply(to: "a.y", "1")
        #expect(try await call == Array("1".utf8))
    }

    /// Breaks the connection of the client that came last.
    func cut() async throws {
        try await newest?.close()
    }

    /// Hears what one client says.
    private final class Ear: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let standIn: ScriptedDaemon
        private var rest: [UInt8] = []

        init(_ standIn: ScriptedDaemon) {
            self.standIn = standIn
        }

        func channelActive(context: ChannelHandlerContext) {
            standIn.joined(context.channel)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            rest += Array(unwrapInboundIn(data).readableBytesView)
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                standIn.tell(.line(JSONValue(text: Array(rest[..<end])) ?? .null))
                rest.removeSubrange(...end)
            }
        }

        func channelInactive(context: ChannelHandlerContext) {
            standIn.tell(.disconnected)
        }
    }
}

extension ScriptedDaemon {
    /// Answers the bind of a binding, and returns the updates after the first picture.
    nonisolated func begin<Updates: AsyncSequence>(
        _ binding: Updates,
        with reply: String = whole
    ) async throws -> Updates.AsyncIterator {
        var updates = binding.makeAsyncIterator()
        async let bound = self.reply(to: "viewModel.bind", reply)
        _ = try await updates.next(isolation: #isolation)
        _ = try await bound
        return updates
    }
}

extension ClientOptions {
    /// Options of a client that connects again at once.
    static func quick(_ change: (inout ClientOptions) -> Void = { _ in }) -> ClientOptions {
        var options = ClientOptions()
        options.backoff = Backoff(initial: .milliseconds(1), maximum: .milliseconds(5))
        change(&options)
        return options
    }

    /// Options of a client that connects again at once, in the session `s1`.
    static func inSession(_ change: (inout ClientOptions) -> Void = { _ in }) -> ClientOptions {
        var options = quick()
        options.session = SessionAttach.Params(session: SessionName("s1"))
        change(&options)
        return options
    }
}

/// Expects that a call fails with a code of the client, or with a code of the daemon's reply, and returns the error.
@discardableResult
func expectError(
    _ code: ClientError.Code? = nil,
    reply: ErrorCode? = nil,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ call: () async throws -> some Any
) async -> ClientError? {
    let error = await #expect(throws: ClientError.self, sourceLocation: sourceLocation) { _ = try await call() }
    if let code { #expect(error?.code == code, sourceLocation: sourceLocation) }
    if let reply { #expect(error?.reply?.code == reply, sourceLocation: sourceLocation) }
    return error
}

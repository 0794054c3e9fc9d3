package import ViewModelHost
import ViewModelKit

/// A client without a socket: its messages go through the same peer as those of a real one.
///
/// Everything that it is sent is in ``received`` in the order of the wire, and sorted into frames and pictures. What
/// it does returns when the session has done all that could be done at once.
public final class TestClient {
    package let loop: ManualLoop
    package let peer: RPCPeer
    private let sink: MemorySink
    private let log: Log
    /// Lives as long as its clients.
    private let harness: SessionHarness?
    private var unread: [[UInt8]] = []
    private var lastID = 0
    private var isClosed = false

    /// Connects to a host.
    package init(
        host: Host,
        loop: ManualLoop,
        uid: UInt32,
        scope: AccessScope = .act,
        of harness: SessionHarness? = nil
    ) {
        self.loop = loop
        self.harness = harness
        let log = Log()
        self.log = log
        sink = MemorySink { log.take($0) }
        peer = loop.run { [sink] in
            RPCPeer(host: host, loop: loop, identity: ClientIdentity(uid: uid, pid: 1, scope: scope), sink: sink)
        }
        sink.resume = { [unowned self] in readOn() }
    }

    deinit {
        let (peer, isClosed) = (peer, isClosed)
        if !isClosed { loop.run { peer.close() } }
    }

    // MARK: Sending

    /// Sends one message as it stands: at once, or, in a frame's listener, when the step that told it is over.
    public func send(_ message: String) {
        guard loop.isRunning else { return loop.run { post(message) } }
        let confined = LoopConfined(self, on: loop)
        loop.execute { confined.value.post(message) }
    }

    /// Sends one message without waiting for what comes of it.
    package func post(_ message: String) {
        unread.append(Array(message.utf8))
        readOn()
    }

    private func readOn() {
        peer.resumeBatch()
        while !unread.isEmpty, !peer.holdsMessages, !sink.isFull, !isClosed {
            unread.removeFirst().withUnsafeBytes { peer.receive($0) }
        }
    }

    /// Sends a request, which may be answered later.
    @discardableResult
    public func begin(_ method: String, _ params: JSONValue? = nil) -> SentRequest {
        lastID += 1
        let id = JSONValue.integer(lastID)
        var members: [String: JSONValue] = ["jsonrpc": "2.0", "id": id, "method": .string(method)]
        members["params"] = params
        if method == ViewModelBind.name { log.binds.insert(id) }
        send(JSONValue.object(members).description)
        return SentRequest(client: self, id: id, method: method)
    }

    /// Sends a request and gives its result.
    ///
    /// - Throws: `ProtocolError`, the answer; ``HarnessError`` when there is none before time passes or a test does
    ///   something, for which there is ``begin(_:_:)``.
    @discardableResult
    public func request(_ method: String, _ params: JSONValue? = nil) throws -> JSONValue {
        let request = begin(method, params)
        guard let answer = request.answer else {
            throw HarnessError("\(method) waits for something; begin it, and let that happen")
        }
        return try answer.get()
    }

    /// Sends a notification, which is never answered.
    public func notify(_ method: String, _ params: JSONValue? = nil) {
        var members: [String: JSONValue] = ["jsonrpc": "2.0", "method": .string(method)]
        members["params"] = params
        send(JSONValue.object(members).description)
    }

    /// Sends no more, as a client does that shuts its writing side down.
    public func endInput() {
        loop.run { peer.inputEnded() }
    }

    /// Ends the connection, as a client does that is killed.
    public func close() {
        guard !isClosed else { return }
        isClosed = true
        loop.run { peer.close() }
    }

    // MARK: Receiving

    /// Everything that the client was sent, the oldest first.
    public var received: [ReceivedMessage] {
        loop.run()
        return log.messages
    }

    /// Takes what the client was sent since the last time.
    public func takeReceived() -> [ReceivedMessage] {
        loop.run()
        return log.takeNew()
    }

    /// The frames, the oldest first.
    public var frames: [Frame] { received.compactMap(\.frame) }

    /// The picture of a bound instance, brought up to date with each frame; nil for one that never was.
    public func picture(of instance: String) -> Picture? {
        loop.run()
        return log.pictures[instance]
    }

    /// What was wrong with what came: no message of the protocol, or a patch that does not fit its picture.
    public var faults: [HarnessError] {
        loop.run()
        return log.faults
    }

    /// Whether the daemon has ended the connection.
    public var isFinished: Bool {
        loop.run()
        return sink.isFinished
    }

    /// Whether the client takes frames; while it does not, what changes is kept for it.
    public var takesFrames: Bool {
        get { sink.isReady }
        set {
            sink.isReady = newValue
            if newValue { loop.run { peer.sinkReady() } }
        }
    }

    /// Runs `body` with each frame, as a view does that follows the ViewModel; one at a time.
    public func onFrame(_ body: @escaping (Frame) -> Void) {
        log.listeners.append(body)
    }

    /// Tells the client something that no ViewModel said, to drive a view by hand: at once, or when virtual time has
    /// come so far.
    public func inject(_ frame: Frame, after delay: Duration = .zero) throws {
        let params = try JSONValue(encoding: frame.params)
        let message: JSONValue = ["jsonrpc": "2.0", "method": .string(ViewModelChanged.name), "params": params]
        let text = message.text
        guard delay > .zero else { return loop.run { log.take(text) } }
        let confined = loop.run { LoopConfined(log, on: loop) }
        _ = loop.schedule(after: delay) { confined.value.take(text) }
    }

    // MARK: Binding

    /// Binds an instance and keeps its picture.
    ///
    /// - Throws: `ProtocolError`, the refusal.
    @discardableResult
    public func bind(
        _ instance: String,
        outputs: [String]? = nil,
        windows: [String: Window]? = nil,
        since: Since? = nil,
        minInterval: Int? = nil
    ) throws -> ViewModelBind.Result {
        let params = ViewModelBind.Params(
            id: instance,
            outputs: outputs,
            since: since,
            windows: windows,
            minInterval: minInterval
        )
        let answer = try request(ViewModelBind.name, JSONValue(encoding: params))
        return try answer.decoded()
    }

    /// Ends the binding to an instance.
    ///
    /// - Throws: `ProtocolError`, the refusal.
    public func unbind(_ instance: String) throws {
        try request(ViewModelUnbind.name, ["id": .string(instance)])
        log.pictures[instance] = nil
    }

    /// Reads an instance's current values.
    ///
    /// - Throws: `ProtocolError`, the refusal.
    public func read(
        _ instance: String,
        outputs: [String]? = nil,
        windows: [String: Window]? = nil
    ) throws -> Picture {
        let params = ViewModelRead.Params(id: instance, outputs: outputs, windows: windows)
        let answer = try request(ViewModelRead.name, JSONValue(encoding: params))
        return Picture(try answer.decoded(as: ViewModelRead.Result.self))
    }
}

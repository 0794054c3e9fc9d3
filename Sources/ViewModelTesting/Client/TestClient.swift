package import ViewModelHost
public import ViewModelKit
package import ViewModelProtocol

/// A client without a socket.
///
/// Its messages pass through an `RPCPeer`, like those of a real client.
///
/// ``received`` has all messages to it in the order of the wire. Frames and pictures are derived from them. Each call
/// returns after the session has done all work that is ready.
public final class TestClient {
    package let loop: ManualLoop
    package let peer: RPCPeer
    private let transcript = ClientTranscript()
    /// Retained, so that the harness lives as long as its clients.
    private let harness: SessionHarness?
    /// The changes that an exhaustive part of a test has not looked at; nil outside of such a part.
    var watch: ChangeWatch?
    private var unread: [[UInt8]] = []
    private var lastID = 0
    private var isClosed = false

    /// Connects a client to a host.
    package init(
        host: Host,
        loop: ManualLoop,
        uid: UInt32,
        scope: AccessScope = .act,
        person: User.Identity? = nil,
        of harness: SessionHarness? = nil
    ) {
        self.loop = loop
        self.harness = harness
        peer = loop.run { [transcript] in
            var identity = ClientIdentity(uid: uid, pid: 1, scope: scope)
            identity.delegation = person.map { .person($0, digest: "") }
            return RPCPeer(host: host, loop: loop, identity: identity, sink: transcript)
        }
        transcript.resume = { [unowned self] in readOn() }
    }

    deinit {
        let (peer, isClosed) = (peer, isClosed)
        if !isClosed { loop.run { peer.connectionClosed() } }
    }

    // MARK: Sending

    /// Sends one message unchanged.
    ///
    /// In a frame's listener it is sent after the step of the frame, otherwise at once.
    public func send(_ message: String) {
        guard loop.isRunning else { return loop.run { post(message) } }
        let confined = LoopConfined(self, on: loop)
        loop.execute { confined.value.post(message) }
    }

    /// Sends one message without running the work that it causes.
    package func post(_ message: String) {
        unread.append(Array(message.utf8))
        readOn()
    }

    private func readOn() {
        peer.resumeBatch()
        while !unread.isEmpty, !peer.messagesWait, !isClosed {
            unread.removeFirst().withUnsafeBytes { peer.receive($0) }
        }
    }

    /// Sends a request, whose reply may arrive later.
    @discardableResult
    public func begin(_ method: String, _ params: JSONValue? = nil) -> SentRequest {
        lastID += 1
        let id = JSONValue.integer(lastID)
        var members: JSONObject = ["jsonrpc": "2.0", "id": id, "method": .string(method)]
        members["params"] = params
        if method == ViewModelBind.name { transcript.binds.insert(id) }
        send(JSONValue.object(members).description)
        return SentRequest(client: self, id: id, method: method)
    }

    /// Sends a request and returns its result.
    ///
    /// - Throws: `ProtocolError` when the reply is an error. Throws ``HarnessError`` when the reply has to wait for
    ///   time or for the test. Use ``begin(_:_:)`` for such a request.
    @discardableResult
    public func request(_ method: String, _ params: JSONValue? = nil) throws -> JSONValue {
        let request = begin(method, params)
        guard let answer = request.answer else {
            throw HarnessError("\(method) waits for something; begin it, and let that happen")
        }
        return try answer.get()
    }

    /// Sends a notification, which gets no reply.
    public func notify(_ method: String, _ params: JSONValue? = nil) {
        var members: JSONObject = ["jsonrpc": "2.0", "method": .string(method)]
        members["params"] = params
        send(JSONValue.object(members).description)
    }

    /// Ends the input, like a client that shuts down its writing side.
    public func endInput() {
        loop.run { peer.inputEnded() }
    }

    /// Ends the connection, like a client that is killed.
    public func close() {
        guard !isClosed else { return }
        isClosed = true
        loop.run { peer.connectionClosed() }
    }

    // MARK: Receiving

    /// All messages that the client has received, the oldest first.
    public var received: [ReceivedMessage] {
        loop.run()
        return transcript.messages
    }

    /// Returns the messages since the last call.
    public func takeReceived() -> [ReceivedMessage] {
        loop.run()
        return transcript.takeNew()
    }

    /// All frames that the client has received, the oldest first.
    public var frames: [Frame] { received.compactMap(\.frame) }

    /// The pictures of all bindings, with all frames applied.
    var pictures: [BindingKey: Picture] {
        loop.run()
        return transcript.pictures
    }

    /// The picture of an instance with all frames applied.
    ///
    /// - Parameters:
    ///   - instance: the id of the instance.
    ///   - tag: the tag of the binding; nil for the one without a tag.
    /// - Returns: The picture, or nil if the client has not bound the instance.
    public func picture(of instance: String, tag: String? = nil) -> Picture? {
        loop.run()
        return transcript.pictures[BindingKey(instance: instance, tag: tag)]
    }

    /// The faults in received messages: a message that is not of the protocol, or a patch that does not fit its
    /// picture.
    public var faults: [HarnessError] {
        loop.run()
        return transcript.faults
    }

    /// Whether the daemon has ended the connection.
    public var isFinished: Bool {
        loop.run()
        return transcript.isFinished
    }

    /// Whether the client accepts frames.
    ///
    /// While it does not, the host holds its changes.
    public var acceptsFrames: Bool {
        get { transcript.isReady }
        set {
            transcript.isReady = newValue
            if newValue { loop.run { peer.sinkReady() } }
        }
    }

    /// Calls `body` with each frame, one at a time.
    public func onFrame(_ body: @escaping (Frame) -> Void) {
        transcript.listeners.append(body)
    }

    /// Calls `body` with the text of each message from now on.
    func onText(_ body: @escaping ([UInt8]) -> Void) {
        transcript.onText = body
    }

    /// Delivers a frame that no ViewModel has sent, to drive a view by hand.
    ///
    /// With a delay, at that virtual time.
    ///
    /// - Parameters:
    ///   - frame: the frame.
    ///   - delay: the virtual time until the delivery.
    /// - Throws: ``HarnessError`` when the frame cannot be encoded.
    public func inject(_ frame: Frame, after delay: Duration = .zero) throws {
        let params = try JSONValue(encoding: frame.params)
        let message: JSONValue = ["jsonrpc": "2.0", "method": .string(ViewModelChanged.name), "params": params]
        let text = message.text
        guard delay > .zero else { return loop.run { transcript.append(text) } }
        let confined = loop.run { LoopConfined(transcript, on: loop) }
        _ = loop.schedule(after: delay) { confined.value.append(text) }
    }

    // MARK: Binding

    /// Binds an instance and keeps its picture.
    ///
    /// - Parameters:
    ///   - instance: the id of the instance.
    ///   - outputs: the outputs to bind. Nil binds all.
    ///   - windows: the windows of lists, by output.
    ///   - since: the step from which to resume.
    ///   - minInterval: the shortest time between two frames, in milliseconds.
    ///   - tag: the tag of the binding; nil for the one without a tag.
    ///   - splices: whether frames say where rows came and went.
    /// - Returns: the reply.
    /// - Throws: `ProtocolError` when the host refuses the binding.
    @discardableResult
    public func bind(
        _ instance: String,
        outputs: [String]? = nil,
        windows: [String: Window]? = nil,
        since: Since? = nil,
        minInterval: Int? = nil,
        tag: BindingTag? = nil,
        splices: Bool? = nil
    ) throws -> ViewModelBind.Result {
        let params = ViewModelBind.Params(
            id: instance,
            outputs: outputs,
            since: since,
            windows: windows,
            minInterval: minInterval,
            tag: tag,
            splices: splices
        )
        let answer = try request(ViewModelBind.name, JSONValue(encoding: params))
        return try answer.decoded()
    }

    /// Ends a binding to an instance and drops its picture, or throws the `ProtocolError` of the host.
    public func unbind(_ instance: String, tag: BindingTag? = nil) throws {
        let params = ViewModelUnbind.Params(id: instance, tag: tag)
        try request(ViewModelUnbind.name, JSONValue(encoding: params))
        transcript.pictures[params.key] = nil
    }

    /// Reads an instance's current values.
    ///
    /// - Parameters:
    ///   - instance: the id of the instance.
    ///   - outputs: the outputs to read. Nil reads all.
    ///   - windows: the windows of lists, by output.
    /// - Returns: the values.
    /// - Throws: `ProtocolError` when the host refuses.
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

extension TestClient {
    /// Whether an author's mistake has ended the client's session.
    var hasSessionFailed: Bool {
        loop.run()
        return transcript.hasSessionFailed
    }

    /// The graph of the client's session.
    package var graph: Graph { loop.run { peer.graph } }

    /// Returns the ViewModel of an instance.
    ///
    /// Creates a default instance that does not exist yet.
    ///
    /// - Parameters:
    ///   - id: the id of the instance.
    ///   - type: the ViewModel's type.
    /// - Returns: the ViewModel.
    /// - Throws: `ProtocolError` when it could not be created, or ``HarnessError`` when there is no such instance of
    ///   this type.
    public func viewModel<Type: ViewModel>(_ id: String, as type: Type.Type = Type.self) throws -> Type {
        guard let object = try loop.run({ try peer.viewModel(id) }) else {
            throw HarnessError("there is no instance \(id)")
        }
        guard let viewModel = object as? Type else { throw HarnessError("\(id) is a \(Swift.type(of: object))") }
        return viewModel
    }
}

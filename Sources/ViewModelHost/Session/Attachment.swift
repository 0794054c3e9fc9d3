import ViewModelContract
import ViewModelKit
import ViewModelProtocol

/// A client's attachment to a session: its bindings, those whose frame waits, and the destination of its frames.
///
/// The client's peer may be on another loop. Each frame then hops to that loop, and its size hops back as a credit.
///
/// The attachment and the objects that it references hold each other until the client detaches or the session ends.
///
/// Isolation: confined to the session's loop. Only ``session`` is read on others.
final class Attachment {
    let session: Session
    let core: SessionCore
    let peer: LoopConfined<RPCPeer>
    /// The destination of frames; nil if the client is on another loop.
    private let sink: (any MessageSink)?
    /// The bytes sent to a client on another loop that it has not credited back.
    @exclusivity(unchecked) private var uncredited = 0
    /// The uncredited bytes from which on frames are held.
    private static var creditLimit: Int { 64 << 10 }
    /// The bindings in the order of their creation.
    ///
    /// An array is enough, because most clients bind one or two instances.
    @exclusivity(unchecked) private var bindings: [Binding] = []
    @exclusivity(unchecked) private var waiting: [Binding] = []

    /// Creates an attachment.
    ///
    /// The caller is on the session's loop.
    init(_ session: Session, _ peer: LoopConfined<RPCPeer>) {
        self.session = session
        core = session.core
        self.peer = peer
        sink = peer.value(on: session.loop)?.sink
    }

    // MARK: The path to the client

    /// Whether the client can accept a frame now.
    var isReady: Bool { sink?.isReady ?? (uncredited < Self.creditLimit) }

    /// Sends one notification, which ends with a line feed.
    func send(_ line: [UInt8]) {
        if let sink { return sink.write(line: line) }
        uncredited += line.count
        peer.run { [sender = LoopConfined(self, on: core.loop)] in $0.forward(line, from: sender) }
    }

    /// Sends waiting frames, because a client on another loop has accepted bytes.
    func creditReturned(_ count: Int) {
        uncredited -= count
        if isReady { flush() }
    }

    /// Sends the waiting frames, because the client can accept frames again.
    func flush() {
        while isReady, !waiting.isEmpty {
            waiting.removeFirst().flush()
        }
    }

    /// Sends the frames that are held for `minInterval`.
    func flushHeld() {
        for binding in bindings { binding.flushHeld() }
    }

    /// Queues a binding, whose frame is sent when the client can accept it.
    func wait(for binding: Binding) {
        guard !binding.isWaiting else { return }
        binding.isWaiting = true
        waiting.append(binding)
    }

    /// Notifies the client that a bound instance has been closed.
    func notifyClosed(_ id: String) {
        var message = JSONWriter()
        message.raw("{\"jsonrpc\":\"2.0\",\"method\":\"viewModel.closed\",\"params\":{\"id\":")
        message.string(id)
        message.raw("}}\n")
        send(message.bytes)
    }

    // MARK: Bindings

    /// Returns whether a frame of a binding to the instance is held, for `minInterval` or because the client does not
    /// read.
    func holdsFrame(of instance: Instance) -> Bool {
        bindings.contains { $0.instance === instance && $0.isHeld }
    }

    func binding(to instance: Instance, tag: String?) -> Binding? {
        bindings.first { $0.instance === instance && $0.tag == tag }
    }

    /// Notes that the client has read the outputs of an instance.
    func outputsWereRead(of instance: Instance) {
        for binding in bindings where binding.instance === instance { binding.outputsWereRead() }
    }

    /// Checks that the client may have another binding.
    func checkRoom(for instance: Instance, tag: String?) throws(ProtocolError) {
        let limit = core.host.configuration.limits.bindings
        guard bindings.count >= limit, binding(to: instance, tag: tag) == nil else { return }
        throw .limitExceeded(limit: "limits.bindings", value: limit)
    }

    /// Replaces the client's binding to the instance with the same tag.
    func bind(_ binding: Binding) {
        // Before the former binding ends, so that outputs of both stay bound.
        binding.begin()
        removeBinding(to: binding.instance, tag: binding.tag)
        bindings.append(binding)
        binding.instance.bindings.append(binding)
    }

    /// Notifies an instance that the client is about to bind it, so that the reply contains the effect.
    func willBind(_ instance: Instance, tag: String?, _ selection: [Int], _ windows: [Int: Window]) {
        core.graph.step {
            setWindows(windows, of: selection, in: instance, tag: tag)
            notifyObserver(instance, self)
        }
    }

    /// Restores the windows and the number of clients after a bind that has failed.
    func didNotBind(_ instance: Instance, tag: String?) {
        let former = binding(to: instance, tag: tag)
        core.graph.step {
            setWindows(former?.windows ?? [:], of: former?.selection ?? [], in: instance, tag: tag)
            notifyObserver(instance)
        }
    }

    /// Ends a binding of the client to an instance, as a part of the running step.
    func unbind(_ instance: Instance, tag: String?, notifiesObserver: Bool = true) {
        guard removeBinding(to: instance, tag: tag) else { return }
        setWindows([:], of: [], in: instance, tag: tag)
        if notifiesObserver { notifyObserver(instance) }
    }

    @discardableResult
    private func removeBinding(to instance: Instance, tag: String?) -> Bool {
        guard let index = bindings.firstIndex(where: { $0.instance === instance && $0.tag == tag }) else {
            return false
        }
        let binding = bindings.remove(at: index)
        binding.end()
        waiting.removeAll { $0 === binding }
        instance.bindings.removeAll { $0 === binding }
        return true
    }

    /// Records the rows that a binding shows of each list: those of its window, or all rows of a selected list without
    /// one.
    private func setWindows(_ windows: [Int: Window], of selection: [Int], in instance: Instance, tag: String?) {
        let holder = BoundWindows.Holder(client: ObjectIdentifier(self), tag: tag)
        for (index, slot) in instance.type.slots.enumerated() where slot.kind == .list {
            let range = selection.contains(index) ? windows[index]?.range ?? BoundWindows.wholeList : nil
            instance.outputs[index].list?.setWindow(range, of: holder)
        }
    }

    func endBindings() {
        for binding in bindings {
            unbind(binding.instance, tag: binding.tag)
        }
    }

    /// Informs an instance of the number of its clients, with another one that is about to bind it.
    private func notifyObserver(_ instance: Instance, _ other: Attachment? = nil) {
        guard let observer = instance.object as? any BindingObserver else { return }
        var clients = Set(instance.bindings.map { ObjectIdentifier($0.attachment) })
        if let other { clients.insert(ObjectIdentifier(other)) }
        observer.bindingsChanged(to: clients.count)
    }
}

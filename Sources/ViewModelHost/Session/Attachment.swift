import ViewModelKit
import ViewModelProtocol

/// The attachment of a client to a session: its bindings, and those that wait until it can accept frames.
///
/// The attachment and the objects that it references hold each other until the client detaches or the session ends.
///
/// Isolation: confined to the session's loop. The client's peer may be on another loop.
final class Attachment {
    let core: SessionCore
    let peer: LoopConfined<RPCPeer>
    let frameSink: any FrameSink
    /// The bindings in the order of their creation.
    ///
    /// An array is enough, because most clients bind one or two instances.
    @exclusivity(unchecked) private var bindings: [Binding] = []
    @exclusivity(unchecked) private var waiting: [Binding] = []
    @exclusivity(unchecked) private(set) var isEnded = false

    init(core: SessionCore, peer: LoopConfined<RPCPeer>) {
        self.core = core
        self.peer = peer
        if peer.loop.isCurrent, let sink = peer.value.sink {
            frameSink = LocalFrameSink(sink)
        } else {
            let remote = RemoteFrameSink(peer, session: core.session)
            frameSink = remote
            remote.attachment = self
        }
    }

    /// Returns whether a frame of the client's binding is held, for `minInterval` or because the client does not read.
    func holdsFrame(of instance: Instance) -> Bool {
        !bindings.isEmpty && binding(to: instance)?.isHeld ?? false
    }

    /// Returns whether the attachment belongs to a peer.
    func isClient(_ other: LoopConfined<RPCPeer>) -> Bool { peer.isSame(as: other) }

    /// Whether the client can accept a frame now.
    var isReady: Bool { frameSink.isReady }

    func binding(to instance: Instance) -> Binding? { bindings.first { $0.instance === instance } }

    /// Replaces the client's binding to the instance.
    func bind(_ binding: Binding) {
        unbind(binding.instance, tell: false)
        bindings.append(binding)
        binding.instance.bindings.append(binding)
    }

    /// Notifies an instance that the client is about to bind it, so that the reply contains the effect.
    func willBind(_ instance: Instance) {
        let others = instance.bindings.count { $0.attachment !== self }
        core.graph.step { notifyObserver(instance, count: others + 1) }
    }

    func unbind(_ instance: Instance, tell isTold: Bool = true) {
        guard let index = bindings.firstIndex(where: { $0.instance === instance }) else { return }
        let binding = bindings.remove(at: index)
        binding.end()
        waiting.removeAll { $0 === binding }
        instance.bindings.removeAll { $0 === binding }
        if isTold { notifyObserver(instance, count: instance.bindings.count) }
    }

    func endBindings() {
        for binding in bindings {
            unbind(binding.instance)
        }
        isEnded = true
    }

    /// Queues a binding, whose frame is sent when the client can accept it.
    func wait(for binding: Binding) {
        guard !binding.isWaiting else { return }
        binding.isWaiting = true
        waiting.append(binding)
    }

    /// Sends the frames that are held for `minInterval`.
    func flushHeld() {
        for binding in bindings { binding.flushHeld() }
    }

    /// Sends the waiting frames, because the client can accept frames again.
    func flush() {
        while isReady, !waiting.isEmpty {
            waiting.removeFirst().flush()
        }
    }

    /// Notifies the client that a bound instance has been closed.
    func tellClosed(_ id: String) {
        var message = JSONWriter()
        message.raw("{\"jsonrpc\":\"2.0\",\"method\":\"viewModel.closed\",\"params\":{\"id\":")
        message.string(id)
        message.raw("}}\n")
        frameSink.send(message.bytes)
    }

    private func notifyObserver(_ instance: Instance, count: Int) {
        guard let observer = instance.object as? any BindingObserver else { return }
        observer.bindingsChanged(to: count)
    }
}

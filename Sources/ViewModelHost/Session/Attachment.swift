import ViewModelKit
import ViewModelProtocol

/// A client in a session: its bindings, and which of them wait until it can take frames.
///
/// It and what it points to hold each other until the client leaves or the session ends, whichever is first.
///
/// Isolation: confined to the session's loop. The client's peer may be on another.
final class Attachment {
    let core: SessionCore
    let peer: LoopConfined<RPCPeer>
    let frameSink: any FrameSink
    /// In the order of their making; few, as most clients show one or two instances.
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

    /// Whether a frame of the client's binding to the instance waits, for `minInterval` or because the client does not read.
    func holdsFrame(of instance: Instance) -> Bool {
        !bindings.isEmpty && binding(to: instance)?.isHeld ?? false
    }

    /// Whether this is the client of a peer.
    func isClient(_ other: LoopConfined<RPCPeer>) -> Bool { peer.isSame(as: other) }

    /// Whether the client can take a frame now.
    var isReady: Bool { frameSink.isReady }

    func binding(to instance: Instance) -> Binding? { bindings.first { $0.instance === instance } }

    /// Replaces the client's binding to the instance.
    func bind(_ binding: Binding) {
        unbind(binding.instance, tell: false)
        bindings.append(binding)
        binding.instance.bindings.append(binding)
    }

    /// Tells an instance that the client is about to bind it, so that the reply shows what comes of it.
    func willBind(_ instance: Instance) {
        let others = instance.bindings.count { $0.attachment !== self }
        core.graph.step { tell(instance, count: others + 1) }
    }

    func unbind(_ instance: Instance, tell isTold: Bool = true) {
        guard let index = bindings.firstIndex(where: { $0.instance === instance }) else { return }
        let binding = bindings.remove(at: index)
        binding.end()
        waiting.removeAll { $0 === binding }
        instance.bindings.removeAll { $0 === binding }
        if isTold { tell(instance, count: instance.bindings.count) }
    }

    func endBindings() {
        for binding in bindings {
            unbind(binding.instance)
        }
        isEnded = true
    }

    /// Takes note that a binding has something to tell once the client is ready.
    func wait(for binding: Binding) {
        guard !binding.isWaiting else { return }
        binding.isWaiting = true
        waiting.append(binding)
    }

    /// Tells what is held back for `minInterval`.
    func flushHeld() {
        for binding in bindings { binding.flushHeld() }
    }

    /// The client can take frames again.
    func flush() {
        while isReady, !waiting.isEmpty {
            waiting.removeFirst().flush()
        }
    }

    /// Tells the client that an instance that it had bound is no more.
    func tellClosed(_ id: String) {
        var message = JSONWriter()
        message.raw("{\"jsonrpc\":\"2.0\",\"method\":\"viewModel.closed\",\"params\":{\"id\":")
        message.string(id)
        message.raw("}}\n")
        frameSink.send(message.bytes)
    }

    private func tell(_ instance: Instance, count: Int) {
        guard let observer = instance.object as? any BindingObserver else { return }
        observer.bindingsChanged(to: count)
    }
}

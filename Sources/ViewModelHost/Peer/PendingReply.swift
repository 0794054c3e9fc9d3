import ViewModelKit
import ViewModelProtocol

/// A reply that comes after its message: to an action that still executes, or from a store or a session elsewhere.
///
/// A notification of such a call also has a pending reply. Its result is dropped, and its error is logged.
///
/// Isolation: confined to the peer's loop. A session on another loop completes it through its ``LoopConfined``.
final class PendingReply {
    /// The id of the request; nil for a notification, and once nothing is sent any more.
    private(set) var id: RequestID?
    /// The batch that contains the request, and the index of its entry.
    private(set) var entry: (batch: Batch, index: Int)?
    /// The called method, for the log.
    private let methodBytes: [UInt8]
    /// The peer that sends the reply; nil once it was sent or the connection has closed.
    private var peer: RPCPeer?
    private var caller: LoopConfined<ActionCaller>?
    private var isCancelled = false

    /// The name of the called method.
    var method: String { String(decoding: methodBytes, as: UTF8.self) }

    init(_ peer: RPCPeer, id: RequestID?, entry: (batch: Batch, index: Int)? = nil, method: Bytes) {
        self.peer = peer
        self.id = id
        self.entry = entry
        methodBytes = Array(method)
    }

    /// Sends the reply, unless one was sent or the connection has closed.
    ///
    /// The reply to a client that repeats calls although the store is away comes later.
    func complete(_ reply: Reply) {
        guard let peer else { return }
        self.peer = nil
        guard case .error(let error) = reply, error == .storeUnavailable, !peer.host.isStopping,
            case let delay = peer.refusals.delay(at: peer.loop.now), delay > .zero
        else { return send(reply, peer) }
        let sender = LoopConfined((self, peer), on: peer.loop)
        _ = peer.loop.schedule(after: delay) { sender.value.0.send(reply, sender.value.1) }
    }

    private func send(_ reply: Reply, _ peer: RPCPeer) {
        peer.complete(self, reply)
        abandon()
    }

    /// Records the caller of an action that begins, so that the request can be cancelled.
    func actionBegins(_ caller: LoopConfined<ActionCaller>) {
        self.caller = caller
        if isCancelled { cancel() }
    }

    /// Stops waiting for an action.
    func cancel() {
        isCancelled = true
        caller?.run { $0.cancel() }
    }

    /// Leaves the work to other callers, because the connection has closed.
    func connectionClosed() {
        caller?.run { $0.isGone = true }
        abandon()
    }

    /// Releases all that only a reply needs, because the work may continue long after the connection has closed.
    private func abandon() {
        id = nil
        entry = nil
        peer = nil
        caller = nil
    }
}

extension LoopConfined<PendingReply> {
    /// Sends the reply: at once on the peer's loop, else later.
    func complete(_ reply: Reply) {
        run { $0.complete(reply) }
    }
}

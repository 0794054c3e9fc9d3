import ViewModelKit
import ViewModelProtocol

/// The handlers of `viewModel.*` (protocol, section 5).
extension RPCPeer {
    func open(_ params: ViewModelOpen.Params, _ id: Bytes?) throws(ProtocolError) -> Dispatched {
        inSession(id) { core, _ throws(ProtocolError) in try core.encoding(core.open(params)) }
    }

    func close(_ params: ViewModelClose.Params, _ id: Bytes?) throws(ProtocolError) -> Dispatched {
        inSession(id) { core, _ throws(ProtocolError) in
            try core.close(params.id)
            return .null
        }
    }

    func list(_ params: NoParams, _ id: Bytes?) throws(ProtocolError) -> Dispatched {
        inSession(id) { core, _ throws(ProtocolError) in
            guard core.isAwaited else { return .null }
            let builtIn = core.host.builtInTypes.map { ViewModelList.Entry(id: $0.name, type: $0.name) }
            let others = core.instances.all.filter { !$0.type.isBuiltIn }
            let entries = builtIn + others.map { ViewModelList.Entry(id: $0.id, type: $0.type.name) }
            return try core.encoding(ViewModelList.Result(instances: entries))
        }
    }

    func read(_ params: ViewModelRead.Params, _ id: Bytes?) throws(ProtocolError) -> Dispatched {
        inSession(id) { core, _ throws(ProtocolError) in try core.read(params) }
    }

    func bind(_ params: ViewModelBind.Params, _ id: Bytes?) throws(ProtocolError) -> Dispatched {
        inSession(id) { core, attachment throws(ProtocolError) in try core.bind(params, attachment) }
    }

    func unbind(_ params: ViewModelUnbind.Params, _ id: Bytes?) throws(ProtocolError) -> Dispatched {
        inSession(id) { core, attachment throws(ProtocolError) in try core.unbind(params, attachment) }
    }

    /// Runs `body` in the session: at once if the session is on this loop, else on its own loop.
    private func inSession(
        _ id: Bytes?,
        _ body: @escaping @Sendable (SessionCore, Attachment) throws(ProtocolError) -> Reply
    ) -> Dispatched {
        let handle = currentHandle()
        guard handle.session.loop === loop else {
            let pending = PendingRequest(id: id.map { RequestID(lexeme: $0) } ?? .null)
            let peer = LoopConfined(self, on: loop)
            let target = LoopConfined(pending, on: loop)
            let isAwaited = id != nil
            handle.session.run { core in
                core.isAwaited = isAwaited
                let reply = Reply { () throws(ProtocolError) in try body(core, handle.attachment.value) }
                peer.run { $0.complete(target.value, reply) }
            }
            return id == nil ? .replied(.null) : .pending(pending)
        }
        let core = handle.session.core
        core.isAwaited = id != nil
        return .replied(Reply { () throws(ProtocolError) in try body(core, handle.attachment.value) })
    }
}

extension Reply {
    /// Creates a reply from the result or the error of `body`.
    fileprivate init(_ body: () throws(ProtocolError) -> Reply) {
        do {
            self = try body()
        } catch {
            self = .error(error)
        }
    }
}

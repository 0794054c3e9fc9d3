import ViewModelKit
import ViewModelProtocol

/// The handlers of `viewModel.*` (protocol, section 5).
extension RPCPeer {
    func openInstance(_ params: ViewModelOpen.Params, _ request: borrowing Request) throws(ProtocolError) -> Reply? {
        try inSession(request) { core, _ throws(ProtocolError) in try core.encoding(core.open(params)) }
    }

    func closeInstance(_ params: ViewModelClose.Params, _ request: borrowing Request) throws(ProtocolError) -> Reply? {
        try inSession(request) { core, _ throws(ProtocolError) in
            try core.close(params.id)
            return .null
        }
    }

    func listInstances(_ params: NoParams, _ request: borrowing Request) throws(ProtocolError) -> Reply? {
        try inSession(request) { core, _ throws(ProtocolError) in
            guard core.isAwaited else { return .null }
            let builtIn = core.host.builtInTypes.map { ViewModelList.Entry(id: $0.name, type: $0.name) }
            let others = core.instances.all.filter { !$0.type.isBuiltIn }
            let entries = builtIn + others.map { ViewModelList.Entry(id: $0.id, type: $0.type.name) }
            return try core.encoding(ViewModelList.Result(instances: entries))
        }
    }

    func readInstance(_ params: ViewModelRead.Params, _ request: borrowing Request) throws(ProtocolError) -> Reply? {
        try inSession(request) { core, attachment throws(ProtocolError) in try core.read(params, attachment) }
    }

    func bind(_ params: ViewModelBind.Params, _ request: borrowing Request) throws(ProtocolError) -> Reply? {
        try inSession(request) { core, attachment throws(ProtocolError) in try core.bind(params, attachment) }
    }

    func unbind(_ params: ViewModelUnbind.Params, _ request: borrowing Request) throws(ProtocolError) -> Reply? {
        try inSession(request) { core, attachment throws(ProtocolError) in try core.unbind(params, attachment) }
    }

    /// Runs `body` in the session: at once if the session is on this loop, else on its own loop.
    private func inSession(
        _ request: borrowing Request,
        _ body: @escaping @Sendable (SessionCore, Attachment) throws(ProtocolError) -> Reply
    ) throws(ProtocolError) -> Reply? {
        let isAwaited = request.id != nil
        let reply = { @Sendable (attachment: Attachment) -> Reply in
            // Only a call from another loop can meet an ended session.
            if let outcome = attachment.core.endOutcome { return Reply(outcome) }
            attachment.core.isAwaited = isAwaited
            do throws(ProtocolError) {
                return try body(attachment.core, attachment)
            } catch {
                return .error(error)
            }
        }
        try requireSession()
        if let local = localAttachment { return reply(local) }
        let pending = pendingReply(to: request)
        attachment?.run { pending.complete(reply($0)) }
        return nil
    }
}

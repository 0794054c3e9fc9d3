import CoreMetrics
import ViewModelKit
import ViewModelProtocol

/// The dispatch of a method to its handler.
extension RPCPeer {
    enum Dispatched {
        case replied(Reply)
        case pending(PendingRequest)
    }

    /// Dispatches one request, or a notification if `lexeme` is nil.
    func dispatch(_ envelope: Envelope, in message: Bytes, id lexeme: Bytes?) -> Dispatched {
        guard !envelope.methodHasEscapes else {
            var method = JSONText.string(message.part(envelope.method))
            return method.withUTF8 { dispatch(Bytes($0), envelope, in: message, id: lexeme) }
        }
        return dispatch(message.part(envelope.method), envelope, in: message, id: lexeme)
    }

    private func dispatch(_ method: Bytes, _ envelope: Envelope, in message: Bytes, id lexeme: Bytes?) -> Dispatched {
        let dispatched = dispatching(isAwaited: lexeme != nil) { carryOut(method, envelope, in: message, id: lexeme) }
        switch dispatched {
        case .replied(.error(let error)): logError(error, of: String(decoding: method, as: UTF8.self))
        case .replied: break
        case .pending(let pending): pending.methodBytes = Array(method)
        }
        return dispatched
    }

    private func carryOut(_ method: Bytes, _ envelope: Envelope, in message: Bytes, id lexeme: Bytes?) -> Dispatched {
        let params = envelope.params.map { message.part($0) }
        do throws(ProtocolError) {
            let own = ProtocolMethods.table.find(method)
            // A stopping daemon still cancels running work, but starts no new work.
            if host.isStopping, !method.elementsEqual(CancelRequest.name.utf8) { throw .shuttingDown }
            if identity.scope < .act, own?.scope != .observe { throw mayOnlyObserve(method) }
            if let own {
                host.counters.methods[own.index].increment()
                checkTurnSoon()
                let params = ParamsReader(params)
                _ = try params.meta()
                return try own.carryOut(self, params, lexeme)
            }
            guard let dot = method.lastIndex(of: UInt8(ascii: ".")) else { throw unknown(method) }
            return call(method.part(0..<dot), method.part(dot + 1..<method.count), params, id: lexeme)
        } catch {
            return .replied(.error(error))
        }
    }

    /// Returns the error for a method that changes something, from a user with the scope `observe`.
    private func mayOnlyObserve(_ method: Bytes) -> ProtocolError {
        let name = String(decoding: method, as: UTF8.self)
        return .accessDenied(reason: "the scope observe may look, and not call \(name)")
    }

    /// Returns the error for a method without a dot that is not one of the protocol's own.
    private func unknown(_ method: Bytes) -> ProtocolError {
        let name = String(decoding: method, as: UTF8.self)
        let known = suggestions(for: name, among: ProtocolMethods.names + host.typeOrder.map(\.name))
        return .methodNotFound(instance: nil, member: name, suggestions: known)
    }

    /// Calls a member of an instance in the session.
    private func call(_ instance: Bytes, _ member: Bytes, _ params: Bytes?, id lexeme: Bytes?) -> Dispatched {
        let handle = currentHandle()
        guard let core = handle.session.core(on: loop) else {
            return callAcross(handle, instance, member, params, id: lexeme)
        }
        let attachment = handle.attachment.value(on: loop)
        guard let lexeme else {
            let outcome = core.call(instance, member, params: params, from: attachment, isAwaited: false) {
                self.noting(instance, member)
            }
            guard case .replied(let reply) = outcome else { return .replied(.null) }
            return .replied(reply)
        }
        var pending: PendingRequest?
        let outcome = core.call(instance, member, params: params, from: attachment, isAwaited: true) {
            let request = PendingRequest(id: RequestID(lexeme: lexeme))
            pending = request
            let peer = LoopConfined(self, on: self.loop)
            let target = LoopConfined(request, on: self.loop)
            return { reply in peer.value.complete(target.value, reply) }
        }
        switch outcome {
        case .replied(let reply): return .replied(reply)
        case .running(let caller):
            guard let pending else { return .replied(.null) }
            pending.cancel = { core.graph.step { caller.cancel() } }
            return .pending(pending)
        }
    }

    /// Calls a member in a session on another loop.
    ///
    /// The call and its outcome each hop to the other loop.
    private func callAcross(
        _ handle: AttachmentHandle,
        _ instance: Bytes,
        _ member: Bytes,
        _ params: Bytes?,
        id lexeme: Bytes?
    ) -> Dispatched {
        let call = RemoteCall(
            instance: Array(instance),
            member: Array(member),
            params: params.map { Array($0) },
            isAwaited: lexeme != nil
        )
        guard let lexeme else {
            let completion = noting(instance, member)
            handle.session.run { core in
                if case .replied(let reply) = call.perform(in: core, from: handle, completion) { completion(reply) }
            }
            return .replied(.null)
        }
        let pending = PendingRequest(id: RequestID(lexeme: lexeme))
        let peer = LoopConfined(self, on: loop)
        let target = LoopConfined(pending, on: loop)
        let completion: Completion = { reply in
            peer.run { $0.complete(target.value, reply) }
        }
        let session = handle.session
        let running = LoopConfined(RunningCall(), on: session.loop)
        session.run { core in
            switch call.perform(in: core, from: handle, completion) {
            case .replied(let reply): completion(reply)
            case .running(let caller): running.value.caller = caller
            }
        }
        pending.cancel = {
            session.run { core in
                core.graph.step { running.value.caller?.cancel() }
            }
        }
        return .pending(pending)
    }
}

/// A call on its way to another loop.
private struct RemoteCall: Sendable {
    let instance: [UInt8]
    let member: [UInt8]
    let params: [UInt8]?
    let isAwaited: Bool

    func perform(in core: SessionCore, from handle: AttachmentHandle, _ completion: @escaping Completion) -> CallOutcome
    {
        let attachment = handle.attachment.value
        return instance.withUnsafeBytes { instance in
            member.withUnsafeBytes { member in
                guard let params else {
                    return core.call(instance, member, params: nil, from: attachment, isAwaited: isAwaited) {
                        completion
                    }
                }
                return params.withUnsafeBytes { params in
                    core.call(instance, member, params: params, from: attachment, isAwaited: isAwaited) { completion }
                }
            }
        }
    }
}

/// The caller of an action on another loop, once the call has begun.
private final class RunningCall {
    var caller: ActionCaller?
}

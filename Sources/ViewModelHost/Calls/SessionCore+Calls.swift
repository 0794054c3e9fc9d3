import CoreMetrics
import ViewModelKit
import ViewModelProtocol

/// Calls of `<instance>.<member>`, which are inputs and actions (protocol, section 6).
extension SessionCore {
    /// Calls a member of an instance.
    ///
    /// A default instance is created by its first call. An action's success must be saved before a request is answered.
    ///
    /// - Parameters:
    ///   - request: the request or notification.
    ///   - dot: the index of the dot in the name of its method.
    ///   - known: the instance, or nil if it was not looked up yet.
    ///   - attachment: the client.
    /// - Returns: the reply; nil for an action, which completes the request's pending reply.
    func call(_ request: borrowing Request, dot: Int, of known: Instance?, from attachment: Attachment) -> Reply? {
        let method = request.method
        let (instanceID, memberName) = (method.part(0..<dot), method.part(dot + 1..<method.count))
        isAwaited = request.id != nil
        do {
            guard let instance = try known ?? resolve(String(decoding: instanceID, as: UTF8.self)) else {
                throw unknownMethod(instanceID, memberName)
            }
            guard let member = instance.type.members.find(memberName) else {
                throw unknownMember(instance, memberName)
            }
            let params = ParamsReader(request.params)
            let meta = try params.readMeta()
            switch member {
            case .input(let index):
                host.counters.inputs.increment()
                let step = try send(index, of: instance, params, key: meta?.key)
                return .sequence(step, isHeld: attachment.holdsFrame(of: instance))
            case .action(let index):
                host.counters.actions.increment()
                run(index, of: instance, params, meta, isAwaited, request.pendingReply(from: attachment))
                return nil
            }
        } catch {
            return .error(protocolError(for: error))
        }
    }

    /// Returns the error by which a call that threw `error` is answered.
    func protocolError(for error: any Error, in activity: String = "a call") -> ProtocolError {
        switch error {
        case let error as ProtocolError: error
        case let exceeded as LimitExceeded: .limitExceeded(limit: exceeded.limit, value: exceeded.value)
        default: .internalError(incident: incident(error, in: activity))
        }
    }

    /// Applies an input.
    ///
    /// A call with the retry key of an earlier one is not applied again.
    private func send(
        _ index: Int,
        of instance: Instance,
        _ params: ParamsReader,
        key: String?
    ) throws -> Int {
        let graph: Graph = graph
        let declared = instance.type.contract.inputs[index]
        let input = instance.inputs[index]
        let bytes = params.heldBytes
        // The step may carry out another message.
        let isAwaited = isAwaited
        if bytes > 0 { try checkRoom(for: bytes - instance.heldBytes(ofInput: index), isBrief: false) }
        let earlier: Int?
        do {
            let value = try params.value(as: declared.shape)
            graph.enter(instance.place, member: 1 + index)
            earlier = try graph.step { try declared.accept(input, value, key) }
        } catch {
            throw params.located(error, in: declared.shape, of: instance.type, isAwaited: isAwaited)
        }
        // The call may have ended the session.
        if earlier == nil, !isEnded {
            let change = instance.setHeldBytes(bytes, ofInput: index)
            if change != 0 { count(heldBytes: change) }
        }
        try checkFailure()
        if let earlier { return earlier }
        if key != nil, !instance.isClosed { input.remember(step: graph.sequence) }
        return graph.sequence
    }

    /// Throws the incident of an author's mistake in the last step.
    ///
    /// Such a mistake ends the session.
    func checkFailure() throws(ProtocolError) {
        if let incident = graph.failure { throw .internalError(incident: incident) }
    }

    /// Calls an action, whose outcome completes the pending reply.
    private func run(
        _ index: Int,
        of instance: Instance,
        _ params: ParamsReader,
        _ meta: Meta?,
        _ isAwaited: Bool,
        _ pending: LoopConfined<PendingReply>
    ) {
        let declared = instance.type.contract.actions[index]
        let name = declared.name
        let parameters = declared.parameters
        let action = instance.actions[index]
        // The reply of an action that ends during this call; it follows the frames of all steps of the call.
        var early: Reply?
        var isBeginning = true
        func answer(_ reply: Reply) {
            if isBeginning { early = reply } else { pending.complete(reply) }
        }
        let caller = ActionCaller(
            key: meta?.key,
            deadline: meta?.deadline,
            isAwaited: isAwaited,
            parameterBytes: params.heldBytes
        ) { outcome in
            let reply = Reply(outcome, of: name)
            guard isAwaited else { return answer(reply) }
            // An acknowledged success must outlast the daemon, so its reply waits for the next save.
            self.whenSaved { failure in
                if let failure, case .success = outcome {
                    answer(.error(failure))
                } else {
                    answer(reply)
                }
            }
        }
        // A notification cannot be cancelled, so its pending reply need not know the caller. An execution that has
        // another caller drops this one without an answer.
        if isAwaited { pending.run { [caller = LoopConfined(caller, on: loop)] in $0.actionBegins(caller) } }
        do {
            let value = try params.value(as: parameters)
            graph.enter(instance.place, member: 1 + instance.inputs.count + index)
            try graph.step { try declared.call(action, value, caller) }
            try checkFailure()
            isBeginning = false
            if let early { pending.complete(early) }
        } catch {
            let error = params.located(error, in: parameters, of: instance.type, isAwaited: isAwaited)
            pending.complete(.error(protocolError(for: error)))
        }
    }
}

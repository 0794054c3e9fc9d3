import CoreMetrics
import ViewModelKit
import ViewModelProtocol

/// Calls of `<instance>.<member>`: inputs and actions (protocol, section 6).
extension SessionCore {
    /// Calls a member of an instance, which comes into being if it is a default one.
    ///
    /// - Parameters:
    ///   - instanceID: what stands before the method's last dot.
    ///   - params: the JSON text of the params, verified.
    ///   - isAwaited: whether somebody is told the outcome, which has to outlast the daemon then.
    ///   - makeCompletion: makes what is told once, later, when the outcome is `.running`; called for actions only.
    func call(
        _ instanceID: Bytes,
        _ memberName: Bytes,
        params: Bytes?,
        isAwaited: Bool,
        _ makeCompletion: () -> Completion
    ) -> CallOutcome {
        do {
            guard let instance = try instances.find(instanceID) ?? resolve(String(decoding: instanceID, as: UTF8.self))
            else { throw unknownMethod(instanceID, memberName) }
            guard let member = instance.type.members.find(memberName) else {
                throw unknownMember(instance, memberName)
            }
            let params = ParamsReader(params)
            let meta = try params.meta()
            switch member {
            case .input(let declared, let index):
                host.counters.inputs.increment()
                return .replied(try send(declared, to: instance.inputs[index], params))
            case .action(let declared, let index):
                host.counters.actions.increment()
                return try run(
                    declared,
                    on: instance.actions[index],
                    params,
                    meta,
                    isAwaited: isAwaited,
                    makeCompletion
                )
            }
        } catch let error as ProtocolError {
            return .replied(.error(error))
        } catch {
            return .replied(.error(.internalError(incident: incident(error, in: "a call"))))
        }
    }

    private func send(_ declared: HostedContract.Input, to input: AnyObject, _ params: ParamsReader) throws -> Reply {
        let graph: Graph = graph
        try reader.read(params, as: declared.contract.shape) {
            try graph.step { try declared.contract.accept(input, reader) }
        }
        return .sequence(graph.sequence)
    }

    private func run(
        _ declared: HostedContract.Action,
        on action: AnyAction,
        _ params: ParamsReader,
        _ meta: Meta,
        isAwaited: Bool,
        _ makeCompletion: () -> Completion
    ) throws -> CallOutcome {
        let completion = makeCompletion()
        let name = declared.name
        let waiting = WaitingCall()
        // What an action acknowledges outlasts the daemon.
        let saver = isAwaited ? saver : nil
        let caller = ActionCaller { outcome in
            let reply = Reply(outcome, action: name)
            let answer = {
                if waiting.isDeferred {
                    completion(reply)
                } else {
                    waiting.reply = reply
                }
            }
            if let saver { saver.whenSaved(answer) } else { answer() }
        }
        let call = ActionCall(key: meta.key, deadline: meta.deadline, caller: caller)
        try reader.read(params, as: declared.contract.parameters) {
            try graph.step { try declared.contract.call(action, reader, call) }
        }
        if let reply = waiting.reply { return .replied(reply) }
        waiting.isDeferred = true
        return .running(caller)
    }

    // MARK: Names that nobody has

    private func unknownMethod(_ instanceID: Bytes, _ memberName: Bytes) -> ProtocolError {
        let id = String(decoding: instanceID, as: UTF8.self)
        let member = String(decoding: memberName, as: UTF8.self)
        let prefix = id + "."
        let own = ProtocolMethods.names.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
        return .methodNotFound(
            instance: id,
            member: member,
            suggestions: own.isEmpty
                ? Suggestions.close(to: id, among: knownInstances) : Suggestions.close(to: member, among: own)
        )
    }

    private func unknownMember(_ instance: Instance, _ memberName: Bytes) -> ProtocolError {
        let name = String(decoding: memberName, as: UTF8.self)
        let contract = instance.type.contract
        return .methodNotFound(
            instance: instance.id,
            member: name,
            suggestions: Suggestions.close(
                to: name,
                among: contract.inputs.map(\.name) + contract.actions.map(\.name)
            )
        )
    }
}

/// The outcome of an action that may come before or after the call has returned.
private final class WaitingCall {
    var reply: Reply?
    var isDeferred = false
}

import ViewModelKit

/// The retry keys of a session that may move to another node (protocol, section 6).
extension SessionCore {
    func remembered(_ outcome: ActionOutcome?, of calls: @autoclosure () -> [KeyedCall], by member: AnyObject) {
        guard let saver, saver.savesRetryKeys, !isEnded, let place = place(of: member) else { return }
        for call in calls() { saver.remember(call, outcome, of: place) }
        saver.stepEnded()
    }

    /// Saves the outcome of the keyed calls whose executions end with the session, so that none of them runs again.
    func rememberUnfinishedCalls(_ outcome: ActionOutcome) {
        guard saver?.savesRetryKeys ?? false else { return }
        for action in instances.all.lazy.flatMap(\.actions) {
            let calls = action.unfinishedKeyedCalls
            if !calls.isEmpty { remembered(outcome, of: calls, by: action) }
        }
    }

    /// Restores the keyed calls of an instance that was created.
    ///
    /// A repeated call of an input is answered with the step that created the instance.
    func restoreCalls(of instance: Instance) {
        guard let saver, saver.savesRetryKeys else { return }
        let contract = instance.type.contract
        for restored in saver.takeCalls(of: instance.id) {
            if let outcome = restored.outcome {
                guard let index = contract.actions.firstIndex(where: { $0.name == restored.member }) else { continue }
                instance.actions[index].restore(restored.call, outcome, age: restored.age)
            } else {
                guard let index = contract.inputs.firstIndex(where: { $0.name == restored.member }) else { continue }
                instance.inputs[index].restore(restored.call, step: instance.createdAt, age: restored.age)
            }
        }
    }

    /// Returns the instance and the name of an action or input.
    private func place(of member: AnyObject) -> (instance: String, name: String)? {
        for instance in instances.all {
            let contract = instance.type.contract
            if let index = instance.actions.firstIndex(where: { $0 === member }) {
                return (instance.id, contract.actions[index].name)
            }
            if let index = instance.inputs.firstIndex(where: { $0 === member }) {
                return (instance.id, contract.inputs[index].name)
            }
        }
        return nil
    }
}

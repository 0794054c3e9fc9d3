import ViewModelKit
import ViewModelProtocol

/// The retry keys of a session that may move to another node (protocol, section 6).
extension SessionCore {
    /// The digest of a session that cannot move lasts as long as the process, and its key is Swift's random seed.
    ///
    /// Members in another order, escapes and white space make no other params, also in a value of the type ``JSON``.
    func digest(of parameters: [UInt8], key: String) -> [UInt8] {
        let parameters = JSONValue(text: parameters)?.sorted.text ?? parameters
        if let placement = host.placement { return placement.digest(of: Array(key.utf8) + [0] + parameters) }
        var hasher = Hasher()
        parameters.withUnsafeBytes { hasher.combine(bytes: $0) }
        return withUnsafeBytes(of: hasher.finalize()) { Array($0) }
    }

    func remembered(_ outcome: ActionOutcome?, of calls: @autoclosure () -> [KeyedCall], by member: AnyObject) {
        guard let saver, saver.retryKeys != nil, !isEnded, let member = keyedMember(member) else { return }
        for call in calls() { saver.retryKeys?.add(call, outcome, of: member, at: saver.date) }
        saver.stepEnded()
    }

    /// Saves the outcome of the keyed calls whose executions end with the session, so that none of them runs again.
    func rememberUnfinishedCalls(_ outcome: ActionOutcome) {
        guard saver?.retryKeys != nil else { return }
        for action in instances.lazy.flatMap(\.actions) {
            let calls = action.unfinishedKeyedCalls
            if !calls.isEmpty { remembered(outcome, of: calls, by: action) }
        }
    }

    /// Restores the keyed calls of an instance that was created.
    ///
    /// A repeated call of an input is answered with the step that created the instance.
    func restoreCalls(of instance: Instance) {
        guard let saver, let digestKey = host.placement?.digestKey else { return }
        let calls = saver.retryKeys?.restore(
            instance.id,
            from: &saver.saved.values,
            digestKey: digestKey,
            at: saver.date
        )
        for restored in calls ?? [] {
            switch (instance.type.members.find(restored.member), restored.outcome) {
            case (.action(let index), let outcome?):
                instance.actions[index].restore(restored.call, outcome, age: restored.age)
            case (.input(let index), nil):
                instance.inputs[index].restore(restored.call, step: instance.createdAt, age: restored.age)
            default: break
            }
        }
    }

    /// Returns the action or input of a call.
    private func keyedMember(_ member: AnyObject) -> KeyedMember? {
        for instance in instances {
            let contract = instance.type.contract
            if let index = instance.actions.firstIndex(where: { $0 === member }) {
                let action = contract.actions[index]
                return KeyedMember(instance.id, action.name, takes: action.parameters, returns: action.result)
            }
            if let index = instance.inputs.firstIndex(where: { $0 === member }) {
                let input = contract.inputs[index]
                return KeyedMember(instance.id, input.name, takes: input.shape, returns: nil)
            }
        }
        return nil
    }
}

/// The action or input of a call with a retry key.
struct KeyedMember {
    let instance: String
    let name: String
    /// Whether the params contain a secret, of which nothing is saved, not even a digest.
    let takesSecret: Bool
    /// Whether the result contains a secret, which is not saved.
    let returnsSecret: Bool

    init(_ instance: String, _ name: String, takes value: MemberShape, returns result: MemberShape?) {
        (self.instance, self.name) = (instance, name)
        takesSecret = value.reading.isSecret
        returnsSecret = result?.reading.isSecret == true
    }
}

extension JSONValue {
    /// The value with the members of its objects in the order of their names.
    ///
    /// Numbers keep their texts. In the canonical form of RFC 8785, two large integers may be equal.
    fileprivate var sorted: JSONValue {
        switch self {
        case .array(let elements): .array(elements.map(\.sorted))
        case .object(let members):
            .object(
                JSONObject(
                    members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
                        .map { ($0.key, $0.value.sorted) }
                )
            )
        case .null, .bool, .number, .string: self
        }
    }
}

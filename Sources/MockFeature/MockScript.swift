import JSONRPC
import ViewModelContract
import ViewModelKit
import ViewModelProtocol

/// What the mocked ViewModels of a session answer, and what they were called with.
///
/// Isolation: confined to its session.
final class MockScript {
    /// The outcome of a call.
    struct Plan {
        var result: JSONValue?
        var failure: ActionFailure?
        var refusal: InvalidValue?
        /// Milliseconds before the outcome.
        var delay = 0
        var progress: [Double] = []
        /// The outputs that are set with the outcome: instance, output, value.
        var settings: [(instance: String, output: String, value: JSONValue)] = []
    }

    /// The plans of a member.
    private struct Member {
        var calls = 0
        var next: [Int: Plan] = [:]
        var always: Plan?
    }

    let contract: MockContract
    /// The calls that reached a member, the oldest first; at most ``mostCalls``.
    let calls = ListCell<MockCall>()
    private var callCount = 0
    private var members: [String: Member] = [:]
    /// The values that were set, by instance and output.
    private var values: [String: JSONObject] = [:]
    private var instances: [String: Weak] = [:]

    private struct Weak {
        weak var instance: MockViewModel?
    }

    static let mostCalls = 1000

    /// Creates the script of a session, in which all calls get their default answer.
    init(of contract: MockContract) {
        self.contract = contract
    }

    /// Adds an instance that was created.
    func add(_ instance: MockViewModel) {
        instances = instances.filter { $0.value.instance != nil }
        instances[instance.id] = Weak(instance: instance)
    }

    /// Returns the value that was set, or nil.
    func value(of output: String, in instance: String) -> JSONValue? {
        values[instance]?[output]
    }

    /// Records a call and returns its plan; nil for the default answer.
    func call(_ member: String, _ value: JSONValue, _ schema: ContractSchema?) -> Plan? {
        callCount += 1
        let number = (members[member]?.calls ?? 0) + 1
        members[member, default: Member()].calls = number
        let shape = SecretShape(anyOf: [schema], in: contract.components)
        let params = shape.replacingSecrets(in: value, by: "<password>")
        calls.append(MockCall(id: callCount, member: member, call: number, params: MockValue(params)))
        if calls.count > Self.mostCalls { calls.remove(at: 0) }
        return members[member]?.next[number] ?? members[member]?.always
    }

    /// Sets the outputs of a plan.
    func apply(_ plan: Plan?) {
        for setting in plan?.settings ?? [] { set(setting.output, of: setting.instance, to: setting.value) }
    }

    /// Sets an output of an instance, also of one that does not exist yet.
    func set(_ output: String, of instance: String, to value: JSONValue) {
        values[instance, default: [:]][output] = value
        instances[instance]?.instance?.set(output, to: value)
    }

    /// Plans the outcome of the n-th call of a member, or of all calls that have no plan of their own.
    func plan(_ plan: Plan, for member: String, call number: Int?) {
        if let number {
            members[member, default: Member()].next[number] = plan
        } else {
            members[member, default: Member()].always = plan
        }
    }

    /// Forgets all plans, calls and values.
    func reset() {
        members = [:]
        values = [:]
        callCount = 0
        calls.removeAll { _ in true }
        for entry in instances.values { entry.instance?.reset() }
    }

    // MARK: Names

    /// Returns the type of an instance that exists, or of a default instance and its children.
    private func type(of instance: String) -> ContractType? {
        if let living = instances[instance]?.instance, living.id.isExactly(instance) { return living.type }
        var parts = instance.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard !parts.isEmpty else { return nil }
        let first = parts.removeFirst()
        var type = contract.types.first { $0.name.isExactly(first) }
        for part in parts {
            type = type.flatMap { contract.children(of: $0).first { $0.name.isExactly(part) }?.type }
        }
        return type
    }

    /// The names `instance.member` of living and default instances, for suggestions.
    private func names(_ members: (ContractType) -> [String]) -> [String] {
        let ids = Set(contract.types.map(\.name)).union(instances.keys)
        return ids.sorted().flatMap { id in (type(of: id).map(members) ?? []).map { "\(id).\($0)" } }
    }

    /// Finds an output or a gate by its path `instance.output`, and checks a value for it.
    ///
    /// - Throws: `InvalidValue`, with `pointer` as the place of the value.
    func setting(
        _ path: String,
        _ value: JSONValue,
        at pointer: String,
        named: String
    ) throws(InvalidValue) -> (instance: String, output: String, value: JSONValue) {
        let parts = path.split(separator: ".", omittingEmptySubsequences: false)
        for count in [2, 1] where parts.count > count {
            let instance = parts.dropLast(count).joined(separator: ".")
            let name = parts.suffix(count).joined(separator: ".")
            guard let type = type(of: instance) else { continue }
            let checked: JSONValue
            if let output = type.ownOutputs.first(where: { $0.name.isExactly(name) }) {
                checked = try output.schema.accept(value, contract.components, at: pointer)
                guard output.kind != .list || MockValue.haveUniqueIDs(checked) else {
                    throw InvalidValue(path: pointer, expected: "rows with different ids", found: "two rows of one id")
                }
            } else if type.actions.contains(where: { "\($0.name).enabled".isExactly(name) }) {
                guard value.boolValue != nil else {
                    let found = ValueMismatch.describe(value)
                    throw InvalidValue(path: pointer, expected: "true or false", found: found)
                }
                checked = value
            } else {
                continue
            }
            return (instance, name, checked)
        }
        throw InvalidValue(
            path: named,
            expected: "an output, such as \(names { $0.ownOutputs.map(\.name) }.first ?? "instance.output")",
            value: path,
            suggestions: names { $0.ownOutputs.map(\.name) + $0.actions.map { "\($0.name).enabled" } }
        )
    }

    /// Finds an input or an action by its path; returns nil for an input.
    ///
    /// - Throws: `InvalidValue`.
    func action(_ path: String) throws(InvalidValue) -> ContractType.Action? {
        if let named = MemberPath(method: path), let type = type(of: named.instance) {
            if let action = type.actions.first(where: { $0.name.isExactly(named.member) }) { return action }
            if type.inputs.contains(where: { $0.name.isExactly(named.member) }) { return nil }
        }
        throw InvalidValue(
            path: "/member",
            expected: "an input or an action",
            value: path,
            suggestions: names { $0.inputs.map(\.name) + $0.actions.map(\.name) }
        )
    }
}

import JSONRPC
import ViewModelContract
import ViewModelKit
import ViewModelProtocol

/// Sets outputs of the mocked ViewModels of a session, scripts what their members do, and shows what was called.
@ViewModel("mock")
final class MockControl {
    private let script: MockScript

    init(script: MockScript) { self.script = script }

    /// Sets an output, sends an event, or opens and closes the gate of an action (`player.play.enabled`).
    @Input func set(_ setting: MockSetting) throws {
        let checked = try script.setting(setting.output, setting.value.json, at: "/value", named: "/output")
        script.set(checked.output, of: checked.instance, to: checked.value)
    }

    /// Scripts the outcome of the calls of an input or an action.
    @Input func on(_ plan: MockPlan) throws {
        script.plan(try plan.resolved(in: script), for: plan.member, call: plan.call)
    }

    /// Forgets all scripts and calls, and sets all outputs to their first values.
    @Input func reset() { script.reset() }

    /// The calls that the mocked members got, the oldest first; the last 1,000.
    @Output var calls: Rows<MockCall> { script.calls }
}

/// A call that a mocked member got.
@Schemable
struct MockCall: Identifiable {
    let id: Int
    /// The member: `player.play`.
    let member: String
    /// The number of the call among those of the member, from 1.
    let call: Int
    /// The params, with placeholders for passwords; null without params.
    let params: MockValue
}

/// A value of an output.
@Schemable
struct MockSetting {
    /// The output: `player.title`, or `player.play.enabled`.
    let output: String
    let value: MockValue
}

/// The outcome of calls of a member.
@Schemable
struct MockPlan {
    /// A failure of an action.
    @Schemable
    struct Failure {
        /// The name, which the contract may declare.
        let error: String
        let message: String?
        let details: MockValue?
        let retryable: Bool?
    }

    /// The refusal of an input's value (-32602).
    @Schemable
    struct Refusal {
        let path: String?
        let expected: String
        let found: String
    }

    let member: String
    /// The number of the call, from 1; nil for all calls without a script of their own.
    let call: Int?
    /// The result of an action; nil for the default one.
    let result: MockValue?
    let failure: Failure?
    let refusal: Refusal?
    /// Milliseconds before the outcome of an action.
    let delay: Int?
    /// The progress of an action, in equal parts of the delay.
    let progress: [Double]?
    /// The outputs that are set with the outcome, by their paths.
    let set: [String: MockValue]?

    /// Checks the plan against the contract.
    ///
    /// - Throws: `InvalidValue`.
    func resolved(in script: MockScript) throws(InvalidValue) -> MockScript.Plan {
        let action = try script.action(member)
        try checkNumbers()
        var plan = MockScript.Plan()
        if let action {
            guard refusal == nil else {
                throw InvalidValue(path: "/refusal", expected: "result or failure, for an action", found: "refusal")
            }
            guard result == nil || failure == nil else {
                throw InvalidValue(path: "/failure", expected: "a result or a failure", found: "both")
            }
            plan.delay = delay ?? 0
            plan.progress = progress ?? []
            if let result {
                let schema = action.result ?? .null
                plan.result = try schema.accept(result.json, script.contract.components, at: "/result")
            }
            plan.failure = try failure.map { failure throws(InvalidValue) in
                try self.failure(failure, of: action, in: script)
            }
        } else {
            for (name, isGiven) in [
                ("result", result != nil), ("failure", failure != nil), ("delay", delay != nil),
                ("progress", progress != nil),
            ] where isGiven {
                throw InvalidValue(path: "/\(name)", expected: "set or refusal, for an input", found: name)
            }
            plan.refusal = refusal.map { .init(path: $0.path ?? "", expected: $0.expected, found: $0.found) }
        }
        for (path, value) in (set ?? [:]).sorted(by: { $0.key < $1.key }) {
            let pointer = JSONPointer(tokens: ["set", path]).description
            plan.settings.append(try script.setting(path, value.json, at: pointer, named: pointer))
        }
        return plan
    }

    private func checkNumbers() throws(InvalidValue) {
        if let call, call < 1 {
            throw InvalidValue(path: "/call", expected: "the number of a call, from 1", found: "\(call)")
        }
        if let delay, !(0...86_400_000 ~= delay) {
            throw InvalidValue(path: "/delay", expected: "milliseconds from 0 to 86400000", found: "\(delay)")
        }
        for (index, step) in (progress ?? []).enumerated() where !(0...1 ~= step) {
            throw InvalidValue(path: "/progress/\(index)", expected: "a number from 0 to 1", found: "\(step)")
        }
    }

    private func failure(
        _ failure: Failure,
        of action: ContractType.Action,
        in script: MockScript
    ) throws(InvalidValue) -> ActionFailure {
        let declared = action.failures.first { $0.error == failure.error }
        // An action may also fail with a name that the contract does not declare (protocol, section 9).
        guard declared != nil || action.failures.isEmpty else {
            let names = action.failures.map(\.error)
            throw InvalidValue(
                path: "/failure/error",
                expected: "one of \(names.joined(separator: ", "))",
                value: failure.error,
                suggestions: names
            )
        }
        var details = failure.details.flatMap { $0.json.isNull ? nil : $0.json }
        if let schema = declared?.details {
            let components = script.contract.components
            details = try schema.accept(
                details ?? schema.standardValue(components),
                components,
                at: "/failure/details"
            )
        }
        let text = failure.message ?? declared?.description ?? ""
        return ActionFailure(
            failure.error,
            message: text.isEmpty ? nil : text,
            details: details.map { .encoding($0) },
            retryable: failure.retryable ?? declared?.isRetryable ?? false
        )
    }
}

import JSONRPC
import ViewModelContract
import ViewModelKit
import ViewModelProtocol

/// An instance of a type of a contract.
///
/// Its inputs set the output of the same name, and its actions answer as the session's ``MockScript`` says.
///
/// Isolation: confined to its session.
final class MockViewModel {
    let id: String
    let type: ContractType
    private let script: MockScript
    private let clock: SessionClock
    /// The functions that set outputs, and the gates of actions under `action.enabled`.
    private var setters: [String: (JSONValue) -> Void] = [:]
    private(set) var inputs: [Input<MockValue>] = []
    private(set) var outputs: [AnyOutput] = []
    private(set) var actions: [Action<MockValue, MockValue>] = []
    private(set) var children: [MockViewModel] = []

    /// Creates an instance, with the values that were set before it existed.
    init(_ type: ContractType, id: String, script: MockScript, clock: SessionClock) {
        self.id = id
        self.type = type
        self.script = script
        self.clock = clock
        let contract = script.contract
        outputs = type.ownOutputs.map { declared in
            let value = script.value(of: declared.name, in: id) ?? contract.initialValue(of: declared, in: type)
            switch declared.kind {
            case .state:
                let cell = Cell(MockValue(value))
                setters[declared.name] = { cell.value = MockValue($0) }
                return Output(cell)
            case .list:
                let cell = ListCell(MockValue.rows(value))
                setters[declared.name] = { cell.replaceAll(with: MockValue.rows($0)) }
                return ListOutput(cell).source
            case .event:
                let event = Event<MockValue>()
                setters[declared.name] = { event.send(MockValue($0)) }
                return event
            }
        }
        inputs = type.inputs.map { declared in
            Input { [unowned self] value in try receive(declared, value) }
        }
        actions = type.actions.map { declared in
            let gate = Cell(script.value(of: "\(declared.name).enabled", in: id)?.boolValue ?? true)
            setters["\(declared.name).enabled"] = { gate.value = $0.boolValue ?? true }
            return Action(enabled: gate) { parameters, execution in
                try await self.perform(declared, parameters, execution)
            }
        }
        children = contract.children(of: type).map { name, type in
            MockViewModel(type, id: "\(id).\(name)", script: script, clock: clock)
        }
        script.add(self)
    }

    /// Sets an output or a gate, or sends an event.
    ///
    /// The value was checked. A name that the type lacks is ignored.
    func set(_ name: String, to value: JSONValue) { setters[name]?(value) }

    /// Sets all outputs to their initial values, and opens all gates.
    func reset() {
        for output in type.ownOutputs where output.kind != .event {
            set(output.name, to: script.contract.initialValue(of: output, in: type))
        }
        for action in type.actions { set("\(action.name).enabled", to: .bool(true)) }
    }

    private func receive(_ input: ContractType.Input, _ value: MockValue) throws {
        let plan = script.call("\(id).\(input.name)", value.json, input.schema)
        if let refusal = plan?.refusal { throw refusal }
        let field = type.outputs.first { $0.name == input.name && $0.kind != .event }
        if let field, let checked = try? field.schema.accept(value.json, script.contract.components),
            field.kind == .state || MockValue.haveUniqueIDs(checked)
        {
            set(field.name, to: checked)
        }
        script.apply(plan)
    }

    private func perform(
        _ action: ContractType.Action,
        _ parameters: MockValue,
        _ execution: Execution
    ) async throws -> MockValue {
        let plan = script.call("\(id).\(action.name)", parameters.json, action.parameters)
        let delay = Duration.milliseconds(plan?.delay ?? 0)
        let steps = plan?.progress ?? []
        for step in steps {
            execution.progress = step
            try await clock.sleep(for: delay / steps.count)
        }
        if steps.isEmpty, delay > .zero { try await clock.sleep(for: delay) }
        script.apply(plan)
        if let failure = plan?.failure { throw failure }
        return MockValue(plan?.result ?? script.contract.answer(of: action, in: type))
    }
}

extension MockContract {
    /// Hosts the types, and the ViewModel `mock` that scripts them.
    func host(in catalog: inout ViewModelCatalog) throws(CatalogError) {
        for type in types {
            try catalog.host(hosted(type), isRestored: false) { context in
                if let arguments = type.arguments {
                    try arguments.accept(try context.arguments(MockValue.self).json, components)
                }
                return MockViewModel(type, id: context.id, script: script(of: context), clock: context.clock)
            }
        }
        try catalog.host(MockControl.contract.hosted, isRestored: false, isDescribed: false) { context in
            MockControl(script: script(of: context))
        }
        catalog.define(definitions.compactMap { name in components[name].map { (name, $0.node.json) } })
        catalog.savedValues = contract.savedValues
        for scene in contract.scenes { catalog.scene(scene.name, instance: scene.instance) }
    }

    private func script(of context: ViewModelContext) -> MockScript {
        context.shared { MockScript(of: self) }
    }

    /// Returns the contract of a type, whose objects are of the type ``MockViewModel``.
    private func hosted(_ type: ContractType) -> HostedContract {
        HostedContract(
            name: type.name,
            description: type.description,
            arguments: type.arguments.map(shape),
            inputs: type.inputs.enumerated().map { index, input in
                InputContract(input.name, input.description, form(input.schema), isField: input.isField) {
                    unsafeDowncast($0, to: MockViewModel.self).inputs[index]
                }
            },
            outputs: type.ownOutputs.enumerated().map { index, output in
                let shape = shape(output.schema)
                return OutputContract(output.name, output.description, output.kind, shape, output.isVolatile) {
                    unsafeDowncast($0, to: MockViewModel.self).outputs[index]
                }
            },
            actions: type.actions.enumerated().map { index, action in contract(of: action, index) },
            children: children(of: type).enumerated().map { index, child in
                let contract = hosted(child.type)
                return ChildContract(child.name, child.type.description, type: { contract }) {
                    unsafeDowncast($0, to: MockViewModel.self).children[index]
                }
            }
        )
    }

    private func contract(of action: ContractType.Action, _ index: Int) -> ActionContract {
        let failures = action.failures.map { failure in
            let details = failure.details?.schema(components)
            return FailureContract(failure.error, failure.description, retryable: failure.isRetryable, details: details)
        }
        return ActionContract(
            action.name,
            action.description,
            ActionPolicy(action.policy),
            { failures },
            form(action.parameters),
            form(action.result)
        ) { unsafeDowncast($0, to: MockViewModel.self).actions[index] }
    }

    private func form(_ schema: ContractSchema?) -> ValueForm<MockValue> {
        ValueForm(
            shape: shape(schema),
            // A member without a value has the value null.
            decode: { MockValue(try schema?.accept($0.json, components) ?? .null) },
            encode: { value, _ in value.json.text }
        )
    }

    private func shape(_ schema: ContractSchema?) -> MemberShape {
        MemberShape { schema?.schema(components) }
    }
}

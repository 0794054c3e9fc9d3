import ViewModelContract
import ViewModelKit
import ViewModelProtocol

/// A ViewModel in a session: the author's object, its members and its bindings.
///
/// Isolation: confined to its session.
final class Instance {
    let id: String
    let type: HostedType
    let object: AnyObject
    /// The instance in the log of what a thread runs.
    let place: ActivityPlace
    /// The JSON text of the arguments of `viewModel.open`.
    let arguments: [UInt8]?
    /// The scope of the instance's tasks, which ends with it.
    ///
    /// A child uses its parent's.
    private let taskScope: TaskScope?
    let inputs: [any AnyInput]
    /// The actions of the contract in its order, then those that only the ViewModel itself runs.
    let actions: [AnyAction]
    /// The outputs in the order of `type.slots`.
    let outputs: [AnyOutput]
    @exclusivity(unchecked) private(set) weak var parent: Instance?
    /// The id of the instance whose ViewModel has opened this one, and with which it closes; or nil.
    let opener: String?
    /// Whether a ViewModel closes the instance after the running step.
    var isClosing = false
    private(set) var isClosed = false
    var children: [Instance] = []
    /// The indices of the outputs whose values change with time.
    let sampledOutputs: [Int]
    /// The step that created the instance.
    let createdAt: Int
    @exclusivity(unchecked) var bindings: [Binding] = []
    @exclusivity(unchecked) private(set) var events: EventLog
    /// The bytes of the events that are counted for the user.
    @exclusivity(unchecked) private var countedEventBytes = 0
    /// The bytes of the params of each input's last call that are counted for the user, by the input's index.
    @exclusivity(unchecked) private var inputBytes: [Int: Int] = [:]
    /// The JSON texts of values, encoded on demand and shared by all bindings.
    @exclusivity(unchecked) private var texts: [[UInt8]?]
    /// The texts before those, used if the new value cannot be encoded.
    @exclusivity(unchecked) private var formerTexts: [[UInt8]?]
    /// The outputs whose value cannot be encoded.
    ///
    /// Their text is the last good one.
    @exclusivity(unchecked) private(set) var unencodable: Set<Int> = []
    /// The step that last changed the instance.
    @exclusivity(unchecked) private var changedAt = 0
    /// The outputs that changed in that step.
    ///
    /// Empty without a binding.
    @exclusivity(unchecked) private(set) var changes: [OutputChange] = []
    @exclusivity(unchecked) var frameCache: FrameCache?

    init(
        id: String,
        type: HostedType,
        object: AnyObject,
        place: ActivityPlace,
        parent: Instance? = nil,
        opener: String? = nil,
        arguments: [UInt8]? = nil,
        taskScope: TaskScope? = nil,
        sequence: Int,
        eventLimit: Int
    ) {
        self.id = id
        self.type = type
        self.object = object
        self.place = place
        self.parent = parent
        self.opener = opener
        self.arguments = arguments
        self.taskScope = taskScope
        let inputs = type.contract.inputs.map { $0.member(object) }
        self.inputs = inputs
        let actions = type.contract.actions.map { $0.member(object) }
        self.actions = actions + type.contract.ownActions.map { $0.member(object) }
        for (index, action) in self.actions.enumerated() {
            action.activity = Activity(place, member: 1 + inputs.count + index)
        }
        let outputs =
            type.contract.outputs.map { $0.member(object).adoptable() } + actions.flatMap { $0.makeOutputs() }
        self.outputs = outputs
        sampledOutputs = outputs.indices.filter { outputs[$0].sampling != nil }
        createdAt = sequence
        events = EventLog(capacity: eventLimit, outputCount: type.slots.count)
        texts = Array(repeating: nil, count: outputs.count)
        formerTexts = texts
        for (index, output) in outputs.enumerated() {
            output.owner = Unmanaged.passUnretained(self)
            output.index = index
            output.commitInitialValue()
        }
        for (child, contract) in zip(type.children, type.contract.children) {
            let id = "\(id).\(child.name)"
            children.append(
                Instance(
                    id: id,
                    type: child.type,
                    object: contract.member(object),
                    place: ActivityPlace(instance: id, members: child.type.memberNames, in: place),
                    parent: self,
                    sequence: sequence,
                    eventLimit: eventLimit
                )
            )
        }
    }

    /// Whether the saved session contains the instance.
    ///
    /// A child is restored with its parent.
    var isSaved: Bool { type.isRestored && parent == nil }

    // MARK: Steps

    /// Records that the instance changes in the step that is being committed.
    ///
    /// - Returns: true for the first call of a step if the instance has bindings.
    func beginChanges(inStep sequence: Int) -> Bool {
        guard changedAt != sequence else { return false }
        changedAt = sequence
        if !changes.isEmpty { changes.removeAll(keepingCapacity: true) }
        return !bindings.isEmpty
    }

    /// Records a changed output, and returns the change of the bytes that are counted for the user.
    ///
    /// An event that cannot be encoded is dropped.
    func changed(_ index: Int, at sequence: Int, failed: (any Error) -> Void) -> Int {
        if case .event = type.slots[index].kind {
            recordChange(index, nil)
            for text in outputs[index].takeEvents(failed: failed) {
                events.append(text, output: index, step: sequence)
            }
            return countEvents()
        }
        if let text = texts[index].take() {
            formerTexts[index] = text
            recordChange(index, text)
        } else {
            recordChange(index, nil)
        }
        return 0
    }

    /// Counts the bytes of the events, and returns the change of the count.
    ///
    /// Changes of less than 4096 bytes are not counted yet, because counting costs more than keeping a short event.
    private func countEvents() -> Int {
        let change = events.heldBytes - countedEventBytes
        guard abs(change) >= Self.smallEvents else { return 0 }
        countedEventBytes += change
        return change
    }

    private static var smallEvents: Int { 4096 }

    // MARK: Held bytes

    /// The bytes of long arguments, params and events that are counted for the user.
    var heldBytes: Int {
        inputBytes.values.reduce(countedEventBytes + argumentBytes) { $0 + $1 }
    }

    /// The bytes of the arguments that count for the user.
    var argumentBytes: Int { HeldBytes.counted(arguments?.count ?? 0) }

    /// The bytes that are counted for an input.
    func heldBytes(ofInput index: Int) -> Int { inputBytes[index] ?? 0 }

    /// Records the bytes of the params of an input's last call, and returns the change of the count.
    ///
    /// The bytes that a ViewModel keeps of a value cannot be known. These params stand for them.
    ///
    /// A call that closes the instance is not counted.
    func setHeldBytes(_ bytes: Int, ofInput index: Int) -> Int {
        guard bytes > 0 || !inputBytes.isEmpty, !isClosed else { return 0 }
        defer { inputBytes[index] = bytes > 0 ? bytes : nil }
        return bytes - heldBytes(ofInput: index)
    }

    private func recordChange(_ index: Int, _ formerText: [UInt8]?) {
        if !bindings.isEmpty { changes.append(OutputChange(index: index, formerText: formerText)) }
    }

    /// Returns the JSON text of a committed state, which is encoded at most once for each value.
    ///
    /// If the value cannot be encoded, the text is the last good one, or null if there was none.
    func state(_ index: Int, failed: (any Error) -> Void) -> [UInt8] {
        if let text = texts[index] { return text }
        let text: [UInt8]
        do {
            text = try outputs[index].encoded()
            if !unencodable.isEmpty { unencodable.remove(index) }
        } catch {
            failed(error)
            text = formerTexts[index] ?? Array("null".utf8)
            unencodable.insert(index)
        }
        texts[index] = text
        return text
    }

    /// Ends the instance and releases the author's closures, even those that capture the instance's own object.
    func close(_ outcome: ActionOutcome = .cancelled) {
        isClosed = true
        taskScope?.end()
        for action in actions { action.close(outcome) }
        for input in inputs { input.dispose() }
        for output in outputs { output.close() }
        bindings = []
    }
}

/// A change of an output in one step.
struct OutputChange {
    let index: Int
    /// The JSON text of the output before the step; nil for an event, or if the value was never encoded.
    let formerText: [UInt8]?
}

/// A frame of this step, cached for other bindings in the same position.
struct FrameCache {
    let sequence: Int
    let selection: [Int]
    let since: Int
    let line: [UInt8]
    /// The number of lost events that the frame reports.
    let lost: Int
}

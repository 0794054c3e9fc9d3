import ViewModelKit
import ViewModelProtocol

/// A ViewModel in a session: the author's object, and what clients were and will be told of it.
///
/// Isolation: confined to its session.
final class Instance {
    let id: String
    let type: HostedType
    let object: AnyObject
    /// The JSON text of the arguments that it was opened with.
    let arguments: [UInt8]?
    /// Ends with the instance; a child's is its parent's.
    private let taskScope: TaskScope?
    let inputs: [any AnyInput]
    let actions: [AnyAction]
    /// In the order of `type.slots`.
    let outputs: [AnyOutput]
    @exclusivity(unchecked) private(set) weak var parent: Instance?
    var children: [Instance] = []
    /// The step that made it.
    let createdAt: Int
    @exclusivity(unchecked) var bindings: [Binding] = []
    @exclusivity(unchecked) private(set) var events: EventLog
    /// The bytes of its events that are counted for the user.
    @exclusivity(unchecked) private var countedEventBytes = 0
    /// By the index of an input, the bytes of the params of its last call that are counted for the user.
    @exclusivity(unchecked) private var inputBytes: [Int: Int] = [:]
    /// JSON texts of values, made when first asked for, shared by all bindings.
    @exclusivity(unchecked) private var texts: [[UInt8]?]
    /// The texts before those, for values that cannot be encoded.
    @exclusivity(unchecked) private var formerTexts: [[UInt8]?]
    /// The outputs whose value cannot be encoded; their text is that of the last value that could be.
    @exclusivity(unchecked) private(set) var unencodable: Set<Int> = []
    /// The step that changed it last.
    @exclusivity(unchecked) private var changedAt = 0
    /// The outputs that changed in that step, while somebody is bound.
    @exclusivity(unchecked) private(set) var changes: [OutputChange] = []
    @exclusivity(unchecked) var frameCache: FrameCache?

    init(
        id: String,
        type: HostedType,
        object: AnyObject,
        parent: Instance?,
        arguments: [UInt8]? = nil,
        taskScope: TaskScope? = nil,
        sequence: Int,
        eventLimit: Int
    ) {
        self.id = id
        self.type = type
        self.object = object
        self.parent = parent
        self.arguments = arguments
        self.taskScope = taskScope
        inputs = type.contract.inputs.map { $0.contract.member(object) }
        let actions = type.contract.actions.map { $0.contract.member(object) }
        self.actions = actions
        outputs = type.contract.outputs.map { $0.contract.member(object) } + actions.flatMap { $0.makeOutputs() }
        createdAt = sequence
        events = EventLog(capacity: eventLimit, outputCount: type.slots.count)
        texts = Array(repeating: nil, count: outputs.count)
        formerTexts = texts
        for (index, output) in outputs.enumerated() {
            output.owner = Unmanaged.passUnretained(self)
            output.index = index
            output.attach()
        }
    }

    /// Whether it comes back with its session by itself; children come with their parents.
    var isSaved: Bool { type.isRestored && parent == nil }

    // MARK: Steps

    /// Takes note that the instance changes in the step that is being committed.
    ///
    /// - Returns: whether that is news, and somebody wants to know.
    func begin(step sequence: Int) -> Bool {
        guard changedAt != sequence else { return false }
        changedAt = sequence
        if !changes.isEmpty { changes.removeAll(keepingCapacity: true) }
        return !bindings.isEmpty
    }

    /// Takes note of a changed output.
    ///
    /// - Parameter failed: called for each event that cannot be encoded, which is left out.
    /// - Returns: by how many bytes more, or less, the events are to be counted for the user.
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

    /// Few bytes more or less are not counted: counting costs more than keeping a short event.
    private func countEvents() -> Int {
        let change = events.bytes - countedEventBytes
        guard abs(change) >= Self.smallEvents else { return 0 }
        countedEventBytes += change
        return change
    }

    private static var smallEvents: Int { 4096 }

    // MARK: Bytes of the user

    /// The bytes of long arguments, params and events that are counted for the user.
    var heldBytes: Int {
        inputBytes.values.reduce(countedEventBytes + argumentBytes) { $0 + $1 }
    }

    /// The bytes of long arguments; 0 for the few of most instances.
    var argumentBytes: Int {
        let count = arguments?.count ?? 0
        return count > ParamsReader.fewBytes ? count : 0
    }

    /// Whether an input's last call has had long params.
    var holdsInputs: Bool { !inputBytes.isEmpty }

    /// The bytes that are counted for an input.
    func heldBytes(ofInput index: Int) -> Int { inputBytes[index] ?? 0 }

    /// Takes note of the params of an input's last call.
    func hold(_ bytes: Int, ofInput index: Int) {
        inputBytes[index] = bytes > 0 ? bytes : nil
    }

    private func recordChange(_ index: Int, _ formerText: [UInt8]?) {
        if !bindings.isEmpty { changes.append(OutputChange(index: index, formerText: formerText)) }
    }

    /// The JSON text of a committed state.
    ///
    /// A value that cannot be encoded leaves the output at its last good one, null before there was one.
    ///
    /// - Parameter failed: called once for a value that cannot be encoded.
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

    /// The JSON text of a list.
    ///
    /// It is made anew each time: a long list is sent as edits, so its whole text is needed rarely.
    func list(_ index: Int) throws -> [UInt8] {
        try outputs[index].encoded()
    }

    /// Ends the instance's life; what the author captured is released even where it captured itself.
    ///
    /// - Parameter outcome: what callers of its actions get that still wait.
    func close(_ outcome: ActionOutcome = .cancelled) {
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
    /// The JSON text that clients had of the output before the step; nil where none has seen it.
    let formerText: [UInt8]?
}

/// A frame that was made in this step for one binding, kept for those in the same position.
struct FrameCache {
    let sequence: Int
    let shape: ObjectIdentifier
    let since: Int
    let line: [UInt8]
    /// How many events it tells to be lost.
    let lost: Int
}

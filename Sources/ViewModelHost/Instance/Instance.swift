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
    private let lifetime: Lifetime?
    let inputs: [any AnyInput]
    let actions: [AnyAction]
    /// In the order of `type.slots`.
    let outputs: [AnyOutput]
    private(set) weak var parent: Instance?
    var children: [Instance] = []
    /// The step that made it.
    let createdAt: Int
    var bindings: [Binding] = []
    private(set) var events: EventLog
    /// JSON texts of the committed values, made when first asked for, shared by all who show them.
    private var texts: [[UInt8]?]
    /// What the outputs of the current step were before it.
    private var formerTexts: [[UInt8]?]
    var changedOutputs: [Int] = []
    var frameCache: FrameCache?

    init(
        id: String,
        type: HostedType,
        object: AnyObject,
        parent: Instance?,
        arguments: [UInt8]? = nil,
        lifetime: Lifetime? = nil,
        sequence: Int,
        eventLimit: Int
    ) {
        self.id = id
        self.type = type
        self.object = object
        self.parent = parent
        self.arguments = arguments
        self.lifetime = lifetime
        inputs = type.contract.inputs.map { $0.contract.member(object) }
        let actions = type.contract.actions.map { $0.contract.member(object) }
        self.actions = actions
        outputs = type.contract.outputs.map { $0.contract.member(object) } + actions.flatMap { $0.makeOutputs() }
        createdAt = sequence
        events = EventLog(capacity: eventLimit, outputCount: type.slots.count)
        texts = Array(repeating: nil, count: outputs.count)
        formerTexts = []
        for (index, output) in outputs.enumerated() {
            output.owner = self
            output.index = index
            output.attach()
        }
    }

    /// Whether it comes back with its session by itself; children come with their parents.
    var isSaved: Bool { type.isRestored && parent == nil }

    // MARK: Steps

    /// The instance changes in the step that is being committed.
    func beginStep() {
        changedOutputs.removeAll(keepingCapacity: true)
        formerTexts.removeAll(keepingCapacity: true)
    }

    /// Takes note of a changed output.
    func changed(_ index: Int, at sequence: Int) throws {
        changedOutputs.append(index)
        if type.slots[index].kind == .event {
            formerTexts.append(nil)
            for text in try outputs[index].takeEvents() {
                events.append(text, output: index, step: sequence)
            }
        } else {
            formerTexts.append(texts[index])
            texts[index] = nil
        }
    }

    /// The JSON text of an output before the current step, where a client has seen it.
    func formerText(_ position: Int) -> [UInt8]? { formerTexts[position] }

    /// The JSON text of a committed value.
    func text(_ index: Int) throws -> [UInt8] {
        if let text = texts[index] { return text }
        let text = try outputs[index].encoded()
        // A long list is told by its edits; its whole text is needed rarely and would only lie about.
        if type.slots[index].kind == .state { texts[index] = text }
        return text
    }

    /// Ends the instance's life; what the author captured is released even where it captured itself.
    func close() {
        lifetime?.end()
        for action in actions { action.close() }
        for input in inputs { input.dispose() }
        for output in outputs { output.owner = nil }
        bindings = []
    }
}

/// A frame that was made in this step for one binding, kept for those in the same position.
struct FrameCache {
    let sequence: Int
    let shape: ObjectIdentifier
    let since: Int
    let message: [UInt8]
    /// How many events it tells to be lost.
    let lost: Int
}

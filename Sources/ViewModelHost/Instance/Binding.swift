import ViewModelKit
import ViewModelProtocol

/// What one client shows of one instance.
///
/// It holds no queue of frames: what a client lacks is everything that changed after the step `sent`. Only for a client
/// that cannot take a frame now, it keeps what the client knows of the outputs that changed since, so that a value
/// that came back to what it was is not sent.
///
/// Isolation: confined to the instance's session.
final class Binding {
    /// Both hold the binding, too, until it is ended.
    let instance: Instance
    let attachment: Attachment
    let shape: BindingShape
    /// The least time between two frames; nil where there is none.
    private let minInterval: Duration?
    /// The step at which the client's picture stands.
    @exclusivity(unchecked) var sent: Int
    /// What the client knows of outputs that changed while it could take no frame, by their index.
    @exclusivity(unchecked) var held: [Int: [UInt8]] = [:]
    /// The same for lists: what to compare with.
    @exclusivity(unchecked) var heldLists: [Int: Any] = [:]
    @exclusivity(unchecked) var windows: [Int: WindowState]
    /// How many events of each output the client has been told of.
    @exclusivity(unchecked) var toldEvents: [Int: Int]
    @exclusivity(unchecked) private var notBefore: Duration = .zero
    @exclusivity(unchecked) private var timer: SessionTimer?
    @exclusivity(unchecked) var isWaiting = false
    @exclusivity(unchecked) private(set) var isEnded = false
    /// Whether changed lists are sent as patches, where those are smaller.
    let usesPatches: Bool
    /// Lists that could not be encoded when they changed; they are sent whole once they can be.
    @exclusivity(unchecked) var owedLists: Set<Int> = []

    /// Whether a frame waits for `minInterval`, or until the client reads.
    var isHeld: Bool { isWaiting || timer != nil }

    init(
        instance: Instance,
        attachment: Attachment,
        shape: BindingShape,
        windows: [Int: WindowState],
        minInterval: Duration,
        usesPatches: Bool = true,
        sent: Int
    ) {
        self.instance = instance
        self.attachment = attachment
        self.shape = shape
        self.windows = windows
        self.minInterval = minInterval > .zero ? minInterval : nil
        self.usesPatches = usesPatches
        self.sent = sent
        toldEvents = [:]
        for index in shape.outputs where instance.type.slots[index].kind == .event {
            toldEvents[index] = instance.events.totals[index]
        }
    }

    /// The instance has changed in the step that is being committed.
    func instanceChanged() {
        guard concerns(instance.changes) else { return }
        if isWaiting || !attachment.isReady {
            hold()
            attachment.wait(for: self)
        } else if minInterval != nil, attachment.core.now < notBefore {
            hold()
            startTimer()
        } else {
            send()
        }
    }

    /// The client can take frames again.
    func flush() {
        isWaiting = false
        guard !isEnded else { return }
        if minInterval != nil, attachment.core.now < notBefore {
            startTimer()
        } else {
            send()
        }
    }

    /// The client is about to go: what is held back for `minInterval` is told now.
    func flushHeld() {
        guard timer != nil, !isEnded, !isWaiting, attachment.isReady else { return }
        timer = nil
        send()
    }

    func end() {
        isEnded = true
        timer = nil
        held = [:]
        heldLists = [:]
    }

    private func send() {
        attachment.core.sendFrame(to: self)
        if !held.isEmpty { held.removeAll() }
        if !heldLists.isEmpty { heldLists.removeAll() }
        if let minInterval { notBefore = attachment.core.now + minInterval }
    }

    private func startTimer() {
        guard timer == nil else { return }
        timer = attachment.core.clock.timer(after: notBefore - attachment.core.now) { [weak self] in
            guard let self else { return }
            timer = nil
            guard !isEnded, !isWaiting else { return }
            // The timer runs in a step of its own; the frame goes out when that has been committed.
            attachment.core.graph.afterCommit {
                guard !self.isEnded, !self.isWaiting else { return }
                if self.attachment.isReady {
                    self.send()
                } else {
                    self.attachment.wait(for: self)
                }
            }
        }
    }

    private func concerns(_ changes: [OutputChange]) -> Bool {
        shape === instance.type.allOutputs || changes.contains { shape.outputs.contains($0.index) }
    }

    private func hold() {
        for change in instance.changes where held[change.index] == nil {
            let index = change.index
            if let list = instance.outputs[index] as? AnyListOutput {
                guard heldLists[index] == nil, windows[index] == nil else { continue }
                heldLists[index] = list.snapshot(asOf: sent)
            } else {
                held[index] = change.formerText
            }
        }
    }
}

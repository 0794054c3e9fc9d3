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
    unowned let instance: Instance
    unowned let attachment: Attachment
    let shape: BindingShape
    private let minInterval: Duration
    /// The step at which the client's picture stands.
    var sent: Int
    /// What the client knows of outputs that changed while it could take no frame, by their index.
    var held: [Int: [UInt8]] = [:]
    /// The same for lists: what to compare with.
    var heldLists: [Int: Any] = [:]
    var windows: [Int: WindowState]
    /// How many events of each output the client has been told of.
    var toldEvents: [Int: Int]
    private var notBefore: Duration = .zero
    private var timer: SessionTimer?
    var isWaiting = false
    private(set) var isEnded = false

    init(
        instance: Instance,
        attachment: Attachment,
        shape: BindingShape,
        windows: [Int: WindowState],
        minInterval: Duration,
        sent: Int
    ) {
        self.instance = instance
        self.attachment = attachment
        self.shape = shape
        self.windows = windows
        self.minInterval = minInterval
        self.sent = sent
        toldEvents = [:]
        for index in shape.outputs where instance.type.slots[index].kind == .event {
            toldEvents[index] = instance.events.totals[index]
        }
    }

    /// The instance has changed in the step that is being committed.
    func instanceChanged() {
        guard concerns(instance.changedOutputs) else { return }
        if isWaiting || !attachment.isReady {
            hold()
            attachment.wait(for: self)
        } else if minInterval > .zero, attachment.core.now < notBefore {
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
        if minInterval > .zero, attachment.core.now < notBefore {
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
        held.removeAll()
        heldLists.removeAll()
        if minInterval > .zero { notBefore = attachment.core.now + minInterval }
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

    private func concerns(_ changed: [Int]) -> Bool {
        shape === instance.type.allOutputs || changed.contains { shape.outputs.contains($0) }
    }

    private func hold() {
        for (position, index) in instance.changedOutputs.enumerated() where held[index] == nil {
            if let list = instance.outputs[index] as? AnyListOutput {
                guard heldLists[index] == nil, windows[index] == nil else { continue }
                heldLists[index] = list.snapshot(asOf: sent)
            } else {
                held[index] = instance.formerText(position)
            }
        }
    }
}

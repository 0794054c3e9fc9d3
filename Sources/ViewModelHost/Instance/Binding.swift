import ViewModelContract
import ViewModelKit
import ViewModelProtocol

/// The binding of one client to one instance.
///
/// A binding has no queue of frames. The client lacks everything that changed after the step `sent`, and the next frame
/// is built from current state. Only while a frame is held, the binding keeps the client's values of the changed
/// outputs. A value that has changed back is then not sent.
///
/// Isolation: confined to the instance's session.
final class Binding {
    /// The instance and the attachment reference the binding until it is ended.
    let instance: Instance
    let attachment: Attachment
    /// The tag, or nil.
    let tag: String?
    /// The indices of the bound outputs in the order of the contract.
    let selection: [Int]
    /// The minimum interval between two frames; nil for no limit.
    private let minInterval: Duration?
    /// The step of the client's picture.
    @exclusivity(unchecked) var sent: Int
    /// The client's texts of the outputs that have changed since the last frame, by index, while a frame is held.
    @exclusivity(unchecked) var heldTexts: [Int: [UInt8]] = [:]
    /// The client's rows of the lists that have changed since the last frame, by index, while a frame is held.
    @exclusivity(unchecked) var heldLists: [Int: ListSnapshot] = [:]
    /// The windows of lists, by index of the output.
    let windows: [Int: Window]
    /// Whether frames say where rows of lists came and went.
    let usesSplices: Bool
    /// The number of rows of each list in the client's picture, for splices.
    @exclusivity(unchecked) var rowCounts: [Int: Int] = [:]
    /// The content that the client has of each window; nil before it was sent.
    @exclusivity(unchecked) var windowContents: [Int: WindowContent] = [:]
    /// The number of events of each output that the client has received or lost.
    @exclusivity(unchecked) var sentEvents: [Int: Int]
    @exclusivity(unchecked) private var notBefore: Duration = .zero
    @exclusivity(unchecked) private var timer: SessionTimer?
    @exclusivity(unchecked) var isWaiting = false
    @exclusivity(unchecked) private(set) var isEnded = false
    /// Whether changed lists are sent as patches if those are smaller.
    let usesPatches: Bool
    /// Lists that could not be encoded when they changed.
    ///
    /// They are sent in full once they can be encoded.
    @exclusivity(unchecked) var owedLists: Set<Int> = []

    /// Whether the client has read the outputs since its last frame, while others were held.
    ///
    /// The values of its last frame are then not known for all of them.
    @exclusivity(unchecked) private var wasRead = false
    /// The binding in the list of those that show a list.
    var holder: BoundWindows.Holder { BoundWindows.Holder(client: ObjectIdentifier(attachment), tag: tag) }
    /// Whether a frame is held for `minInterval`, or until the client reads.
    var isHeld: Bool { isWaiting || timer != nil }

    init(
        instance: Instance,
        attachment: Attachment,
        tag: String? = nil,
        selection: [Int],
        windows: [Int: Window],
        minInterval: Duration,
        usesPatches: Bool = true,
        usesSplices: Bool = false,
        sent: Int
    ) {
        self.instance = instance
        self.attachment = attachment
        self.tag = tag
        self.selection = selection
        self.windows = windows
        self.minInterval = minInterval > .zero ? minInterval : nil
        self.usesPatches = usesPatches
        self.usesSplices = usesSplices
        self.sent = sent
        sentEvents = [:]
        for index in selection where instance.type.slots[index].kind == .event {
            sentEvents[index] = instance.events.totals[index]
        }
    }

    /// Sends or holds a frame for the step that is being committed.
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

    /// Sends the held frame when the client can accept frames again, or starts the timer of `minInterval`.
    func flush() {
        isWaiting = false
        guard !isEnded else { return }
        if minInterval != nil, attachment.core.now < notBefore {
            startTimer()
        } else {
            send()
        }
    }

    /// Sends the frame that is held for `minInterval`, because the client is about to detach.
    func flushHeld() {
        guard timer != nil, !isEnded, !isWaiting, attachment.isReady else { return }
        timer = nil
        send()
    }

    /// Informs the outputs that the client watches them now.
    func begin() {
        for index in selection { instance.outputs[index].countBindings(1) }
    }

    func end() {
        isEnded = true
        for index in selection { instance.outputs[index].countBindings(-1) }
        timer = nil
        heldTexts = [:]
        heldLists = [:]
    }

    /// Notes that the client has read the outputs, perhaps newer values than those of its last frame.
    ///
    /// A value that changes back to the one of the last frame is then sent nevertheless.
    func outputsWereRead() {
        guard !heldTexts.isEmpty else { return }
        heldTexts.removeAll()
        wasRead = true
    }

    private func send() {
        sendFrame()
        wasRead = false
        if !heldTexts.isEmpty { heldTexts.removeAll() }
        if !heldLists.isEmpty { heldLists.removeAll() }
        if let minInterval { notBefore = attachment.core.now + minInterval }
    }

    private func startTimer() {
        guard timer == nil else { return }
        timer = attachment.core.services.clock.timer(after: notBefore - attachment.core.now) { [weak self] in
            guard let self else { return }
            timer = nil
            // The timer runs in a step of its own. The frame is sent after the commit of that step.
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

    private var hasAllOutputs: Bool { selection.count == instance.type.allOutputs.count }

    private func concerns(_ changes: [OutputChange]) -> Bool {
        hasAllOutputs || changes.contains { selection.contains($0.index) }
    }

    private func hold() {
        for change in instance.changes where heldTexts[change.index] == nil {
            let index = change.index
            guard hasAllOutputs || selection.contains(index) else { continue }
            if let list = instance.outputs[index].list {
                guard heldLists[index] == nil, windows[index] == nil else { continue }
                heldLists[index] = list.snapshot(asOf: sent)
            } else if !wasRead {
                heldTexts[index] = change.formerText
            }
        }
    }
}
